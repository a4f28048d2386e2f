#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// Where the statistics of a BatchNormalization come from.
enum class BatchStatistics { given, of_batch };

constexpr auto enumerators(BatchStatistics) {
  return std::to_array<std::pair<BatchStatistics, std::string_view>>(
      {{BatchStatistics::given, "given"}, {BatchStatistics::of_batch, "of_batch"}});
}

/// What a BatchNormalization has one mean and variance for: each channel, or each place after the
/// batch axis.
enum class BatchUnit { channel, place };

constexpr auto enumerators(BatchUnit) {
  return std::to_array<std::pair<BatchUnit, std::string_view>>(
      {{BatchUnit::channel, "channel"}, {BatchUnit::place, "place"}});
}

/// ONNX BatchNormalization: (x - mean) / sqrt(variance + epsilon) * scale + bias.
///
/// With statistics of the batch, outputs 1 and 2 are the running mean and variance, outputs 3 and 4
/// the batch's own.
struct BatchNormalization {
  static constexpr std::string_view name = "BatchNormalization";
  float epsilon = 1e-5F;
  float momentum = 0.9F;
  BatchStatistics statistics = BatchStatistics::given;
  BatchUnit unit = BatchUnit::channel;

  static constexpr auto attributes() {
    return std::tuple{attr("epsilon", &BatchNormalization::epsilon),
                      attr("momentum", &BatchNormalization::momentum),
                      attr("statistics", &BatchNormalization::statistics),
                      attr("unit", &BatchNormalization::unit)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<BatchNormalization>);

}  // namespace strata::hir
