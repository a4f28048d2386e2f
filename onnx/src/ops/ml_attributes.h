#pragma once

#include "ops/named.h"
#include "strata/hir/ops/tree_ensemble.h"

/// Attributes that ops of ai.onnx.ml have in common.
namespace strata::onnx {

inline constexpr std::string_view kMl = "ai.onnx.ml";

inline std::vector<float> list_or_empty(NodeArgs& node, std::string_view name) {
  return node.numbers(name).value_or(std::vector<float>{});
}

inline std::vector<double> doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

/// `post_transform`: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT. Throws: invalid_model.
hir::PostTransform post_transform(NodeArgs& node);

/// The class labels in the one of two attributes that is there; empty when neither is. Throws:
/// invalid_model when both are.
Tensor class_labels(NodeArgs& node, std::string_view integers, std::string_view texts);

/// `labels`, or 0, 1, .. where there are none. Throws: invalid_model when there are not `classes`.
Tensor labels_of_classes(const Tensor& labels, std::int64_t classes);

/// The values as a matrix of so many rows. Throws: invalid_model when they do not make one.
Tensor matrix(const std::vector<float>& values, std::int64_t rows, std::string_view name);

}  // namespace strata::onnx
