#include "strata/hir/ops/eye_like.h"

#include "strata/core/ops/eye_like.h"

namespace strata::hir {

void EyeLike::rules(Rules& r) const {
  const auto in = r.input(0, "input");
  const auto out = r.output(0, "output");
  r.require(in.rank == 2);
  r.require(out.shape == in.shape);
  if (!dtype) r.require(out.dtype == in.dtype);
}

OutletIds EyeLike::wire(Builder& b, const OutletIds& in) const {
  return b.wire(strata::EyeLike{dtype.value_or(b.fact(in[0]).dtype), k}, in);
}

}  // namespace strata::hir
