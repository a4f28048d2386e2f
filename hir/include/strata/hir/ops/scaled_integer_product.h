#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Runtime's MatMulIntegerToFloat: the product of two quantised matrices, in floats.
///
/// Inputs A, B, their scales, then their zero points and a bias, which may be left out. The scale
/// and the zero point of B may be one number for each column.
struct MatMulIntegerToFloat {
  static constexpr std::string_view name = "MatMulIntegerToFloat";

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<MatMulIntegerToFloat>);

/// ONNX Runtime's DynamicQuantizeMatMul: floats, quantised as DynamicQuantizeLinear does, times a
/// quantised matrix.
///
/// Inputs A, B, the scale of B, then its zero point and a bias, which may be left out.
struct DynamicQuantizeMatMul {
  static constexpr std::string_view name = "DynamicQuantizeMatMul";

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<DynamicQuantizeMatMul>);

/// ONNX Runtime's QGemm: alpha (A B + C) of quantised matrices, where C is in units of the product
/// of their scales; quantised again if a scale is given.
///
/// Inputs A with its scale and zero point, B likewise, then C and the scale and the zero point of
/// the result, which may be left out. The scale and the zero point of B may be one number for each
/// column of the result.
struct QuantizedGemm {
  static constexpr std::string_view name = "QuantizedGemm";
  double alpha = 1;
  bool transpose_a = false;
  bool transpose_b = false;

  static constexpr auto attributes() {
    return std::tuple{attr("alpha", &QuantizedGemm::alpha),
                      attr("transpose_a", &QuantizedGemm::transpose_a),
                      attr("transpose_b", &QuantizedGemm::transpose_b)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<QuantizedGemm>);

}  // namespace strata::hir
