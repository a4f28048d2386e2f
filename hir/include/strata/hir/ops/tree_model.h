#pragma once

#include "strata/hir/ops/tree_ensemble.h"

namespace strata::hir {

/// ONNX ai.onnx.ml TreeEnsembleRegressor: what the trees give, divided, with the base values added,
/// then transformed; in f32.
struct TreeRegressor {
  static constexpr std::string_view name = "TreeEnsembleRegressor";
  strata::TreeEnsemble trees;  ///< thresholds in f32 or f64
  double divisor = 1;
  Tensor base;  ///< f64[targets], f64[1] or empty
  PostTransform transform = PostTransform::none;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<TreeRegressor>);

/// ONNX ai.onnx.ml TreeEnsembleClassifier: the scores, transformed, and the label of the greatest.
/// Trees with one target score the second of two classes; the first has 1 minus it, or its negative
/// where a logistic or softmax follows or a weight is negative: then it is no probability. The last
/// is ONNX Runtime's rule, as trained models need.
struct TreeClassifier {
  static constexpr std::string_view name = "TreeEnsembleClassifier";
  strata::TreeEnsemble trees;  ///< thresholds in f32 or f64
  Tensor base;                 ///< f64[targets], f64[1] or empty
  Tensor labels;               ///< i64 or string
  PostTransform transform = PostTransform::none;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<TreeClassifier>);

}  // namespace strata::hir
