#include "strata/hir/ops/cast_like.h"

#include "ops/arithmetic.h"

namespace strata::hir {

void CastLike::rules(Rules& r) const {
  require_same_shape(r);
  r.require(r.output(0, "output").dtype == r.input(1, "target_type").dtype);
}

OutletIds CastLike::wire(Builder& b, const OutletIds& in) const {
  return b.wire(strata::Cast{b.fact(in[1]).dtype, overflow, rounding}, {in[0]});
}

}  // namespace strata::hir
