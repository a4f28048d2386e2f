#include "strata/hir/ops/random_like.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/shape_of.h"

namespace strata::hir {

void RandomLike::rules(Rules& r) const {
  require_same_shape(r);
  if (dtype)
    r.require(r.output(0, "output").dtype == *dtype);
  else
    require_same_dtype(r);
}

OutletIds RandomLike::wire(Builder& b, const OutletIds& in) const {
  Random random = op;
  random.dtype = dtype.value_or(b.fact(in[0]).dtype);
  return b.wire(random, {b.one(ShapeOf{}, {in[0]})});
}

}  // namespace strata::hir
