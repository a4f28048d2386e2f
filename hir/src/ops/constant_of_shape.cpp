#include "strata/hir/ops/constant_of_shape.h"

#include "strata/core/ops/expand.h"

namespace strata::hir {

OutletIds ConstantOfShape::wire(Builder& b, const OutletIds& in) const {
  check(value.size() == 1, "the value of ConstantOfShape has ", value.size(), " elements");
  return b.wire(Expand{}, {b.constant(value.reshaped({})), in[0]});
}

}  // namespace strata::hir
