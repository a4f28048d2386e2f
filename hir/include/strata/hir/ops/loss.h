#pragma once

#include <array>
#include <optional>

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// What becomes of the losses of all samples. The mean is weighted.
enum class LossReduction { none, mean, sum };

constexpr auto enumerators(LossReduction) {
  return std::to_array<std::pair<LossReduction, std::string_view>>(
      {{LossReduction::none, "none"}, {LossReduction::mean, "mean"}, {LossReduction::sum, "sum"}});
}

/// ONNX NegativeLogLikelihoodLoss: for log-probabilities [N, C, d..] and classes [N, d..] the
/// negated log-probability of each sample's class, times the class's weight. Samples whose class is
/// `ignore_index` count neither in the sum nor in the weights.
struct NegativeLogLikelihoodLoss {
  static constexpr std::string_view name = "NegativeLogLikelihoodLoss";
  LossReduction reduction = LossReduction::mean;
  std::optional<std::int64_t> ignore_index;

  static constexpr auto attributes() {
    return std::tuple{attr("reduction", &NegativeLogLikelihoodLoss::reduction),
                      attr("ignore_index", &NegativeLogLikelihoodLoss::ignore_index)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<NegativeLogLikelihoodLoss>);

/// ONNX SoftmaxCrossEntropyLoss: the loss of log_softmax(scores); output 1 is the latter.
struct SoftmaxCrossEntropyLoss {
  static constexpr std::string_view name = "SoftmaxCrossEntropyLoss";
  LossReduction reduction = LossReduction::mean;
  std::optional<std::int64_t> ignore_index;

  static constexpr auto attributes() {
    return std::tuple{attr("reduction", &SoftmaxCrossEntropyLoss::reduction),
                      attr("ignore_index", &SoftmaxCrossEntropyLoss::ignore_index)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<SoftmaxCrossEntropyLoss>);

}  // namespace strata::hir
