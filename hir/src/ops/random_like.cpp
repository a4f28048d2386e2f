#include "strata/hir/ops/random_like.h"

#include "strata/core/ops/shape_of.h"

namespace strata::hir {

OutletIds RandomLike::wire(Builder& b, const OutletIds& in) const {
  Random random = op;
  random.dtype = dtype.value_or(b.fact(in[0]).dtype);
  return b.wire(random, {b.one(ShapeOf{}, {in[0]})});
}

}  // namespace strata::hir
