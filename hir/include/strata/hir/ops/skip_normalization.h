#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// What a SkipNormalization divides by: the standard deviation, after the mean is subtracted, or
/// the root of the mean square.
enum class SkipNorm { layer, rms };
constexpr auto enumerators(SkipNorm) {
  return std::to_array<std::pair<SkipNorm, std::string_view>>(
      {{SkipNorm::layer, "layer"}, {SkipNorm::rms, "rms"}});
}

/// ONNX Runtime's SkipLayerNormalization and SkipSimplifiedLayerNormalization: the sum of x, of
/// skip, which stretches to x, and of a bias, normalised along the last axis and scaled.
///
/// Inputs x, skip, gamma, then beta (of `layer` only) and bias, both optional. Outputs the
/// normalised sum, the mean (of `layer` only), 1 over the divisor, both with the last axis kept,
/// and the sum.
struct SkipNormalization {
  static constexpr std::string_view name = "SkipNormalization";
  SkipNorm kind = SkipNorm::layer;
  float epsilon = 1e-12F;

  static constexpr auto attributes() {
    return std::tuple{attr("kind", &SkipNormalization::kind),
                      attr("epsilon", &SkipNormalization::epsilon)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<SkipNormalization>);

/// ONNX Runtime's EmbedLayerNormalization: the rows of words, positions and segments that a text
/// picks, summed up and normalised.
///
/// Inputs input_ids i32[batch, steps], segment_ids likewise, the tables of words, positions and
/// segments, gamma, beta, mask i32[batch, steps] and position_ids; segments, mask and position_ids
/// may be left out. Outputs the normalised sum, how many places of each text the mask shows (0
/// without a mask), and the sum.
struct EmbedLayerNormalization {
  static constexpr std::string_view name = "EmbedLayerNormalization";
  float epsilon = 1e-12F;

  static constexpr auto attributes() {
    return std::tuple{attr("epsilon", &EmbedLayerNormalization::epsilon)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<EmbedLayerNormalization>);

}  // namespace strata::hir
