#pragma once

#include <vector>

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// ONNX FlexAttention: softmax(Q K^T) V for each head, with bodies that change the products and the
/// probabilities.
///
/// Inputs Q, K, V, of [batch, heads, steps, size], then the captured values. A body takes what it
/// changes and the captured values, and gives it back in the same shape and type.
struct FlexAttention {
  static constexpr std::string_view name = "FlexAttention";
  std::optional<InferenceBody> score_modifier;
  std::optional<InferenceBody> probability_modifier;
  std::optional<double> scale;            ///< absent: 1 / sqrt(size)
  std::optional<DatumType> softmax_type;  ///< absent: f32, or f64 for inputs of that type

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
  static void each_body(auto& op, const auto& visit) {
    if (op.score_modifier) visit(*op.score_modifier);
    if (op.probability_modifier) visit(*op.probability_modifier);
  }
};
static_assert(InferenceOpDef<FlexAttention>);

}  // namespace strata::hir
