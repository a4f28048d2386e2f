#pragma once

#include "strata/hir/ops/tree_ensemble.h"

namespace strata::hir {

/// ONNX ai.onnx.ml LinearRegressor: x coefficients^T + intercepts, in f32.
struct LinearRegressor {
  static constexpr std::string_view name = "LinearRegressor";
  Tensor coefficients;  ///< f32[targets, features]
  Tensor intercepts;    ///< f32[targets]
  PostTransform transform = PostTransform::none;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<LinearRegressor>);

/// ONNX ai.onnx.ml LinearClassifier: the label of the greatest score, and the scores, transformed.
/// One row of coefficients for two labels scores the second; the first has its negative.
struct LinearClassifier {
  static constexpr std::string_view name = "LinearClassifier";
  Tensor coefficients;  ///< f32[classes, features]
  Tensor intercepts;    ///< f32[classes]
  Tensor labels;        ///< i64 or string
  PostTransform transform = PostTransform::none;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<LinearClassifier>);

}  // namespace strata::hir
