#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX MatMulInteger: (A - a_zero_point) (B - b_zero_point) in 32 bits.
struct MatMulInteger {
  static constexpr std::string_view name = "MatMulInteger";

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<MatMulInteger>);

/// ONNX QLinearMatMul: the product of the dequantised operands, quantised again.
struct QLinearMatMul {
  static constexpr std::string_view name = "QLinearMatMul";

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<QLinearMatMul>);

}  // namespace strata::hir
