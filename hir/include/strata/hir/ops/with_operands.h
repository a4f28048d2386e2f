#pragma once

#include <vector>

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// A core op whose last operands are attributes in this version of ONNX: they become constant
/// inputs.
struct WithOperands {
  static constexpr std::string_view name = "WithOperands";
  TypedOp op;
  std::vector<Tensor> operands;

  void rules(Rules& r) const { core_rules(op, operands, r); }
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<WithOperands>);

}  // namespace strata::hir
