#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX ai.onnx.ml ArrayFeatureExtractor: picks elements of the last axis; a vector counts as one
/// row.
struct ArrayFeatureExtractor {
  static constexpr std::string_view name = "ArrayFeatureExtractor";

  static constexpr auto attributes() { return std::tuple{}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<ArrayFeatureExtractor>);

/// ONNX ai.onnx.ml Binarizer: 1 for what is above the threshold, else 0.
struct Binarizer {
  static constexpr std::string_view name = "Binarizer";
  double threshold = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("threshold", &Binarizer::threshold)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Binarizer>);

}  // namespace strata::hir
