#include "strata/hir/ops/with_operands.h"

namespace strata::hir {

OutletIds WithOperands::wire(Builder& b, const OutletIds& in) const {
  OutletIds inputs = without_trailing_absent(in);
  for (const Tensor& operand : operands) inputs.push_back(b.constant(operand));
  return b.wire(op, inputs);
}

}  // namespace strata::hir
