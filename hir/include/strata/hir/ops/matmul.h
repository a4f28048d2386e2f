#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX MatMul: numpy's matmul.
struct MatMul {
  static constexpr std::string_view name = "MatMul";

  static constexpr auto attributes() { return std::tuple{}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<MatMul>);

/// A product of any two operands, as a MatMul of matrices where the ranks are known.
OutletId wire_matmul(Builder& b, OutletId left, OutletId right);

}  // namespace strata::hir
