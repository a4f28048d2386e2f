#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX LayerNormalization; outputs 1 and 2 are the mean and 1 / sqrt(variance + epsilon), in type
/// `stash`.
struct LayerNormalization {
  static constexpr std::string_view name = "LayerNormalization";
  std::int64_t axis = -1;
  float epsilon = 1e-5F;
  DatumType stash = DatumType::f32;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &LayerNormalization::axis),
                      attr("epsilon", &LayerNormalization::epsilon),
                      attr("stash", &LayerNormalization::stash)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<LayerNormalization>);

/// ONNX RMSNormalization: x / sqrt(mean(x^2) + epsilon) * scale over the axes from `axis` on,
/// computed in `stash`. Output 1, which ONNX Runtime's SimplifiedLayerNormalization has, is what x
/// is multiplied by, in `stash`.
struct RmsNormalization {
  static constexpr std::string_view name = "RmsNormalization";
  std::int64_t axis = -1;
  float epsilon = 1e-5F;
  DatumType stash = DatumType::f32;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &RmsNormalization::axis),
                      attr("epsilon", &RmsNormalization::epsilon),
                      attr("stash", &RmsNormalization::stash)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<RmsNormalization>);

/// ONNX InstanceNormalization: each channel of each batch element by itself.
struct InstanceNormalization {
  static constexpr std::string_view name = "InstanceNormalization";
  float epsilon = 1e-5F;

  static constexpr auto attributes() {
    return std::tuple{attr("epsilon", &InstanceNormalization::epsilon)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<InstanceNormalization>);

/// What a GroupNormalization has one scale and one bias for.
enum class ScaleUnit { group, channel };

constexpr auto enumerators(ScaleUnit) {
  return std::to_array<std::pair<ScaleUnit, std::string_view>>(
      {{ScaleUnit::group, "group"}, {ScaleUnit::channel, "channel"}});
}

/// ONNX GroupNormalization; version 18 has a scale per group, 21 per channel.
struct GroupNormalization {
  static constexpr std::string_view name = "GroupNormalization";
  std::int64_t groups = 1;
  float epsilon = 1e-5F;
  ScaleUnit unit = ScaleUnit::channel;

  static constexpr auto attributes() {
    return std::tuple{attr("groups", &GroupNormalization::groups),
                      attr("epsilon", &GroupNormalization::epsilon),
                      attr("unit", &GroupNormalization::unit)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<GroupNormalization>);

/// ONNX LpNormalization: x / norm along an axis, 0 where the norm is 0.
struct LpNormalization {
  static constexpr std::string_view name = "LpNormalization";
  std::int64_t axis = -1;
  std::int64_t p = 2;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &LpNormalization::axis), attr("p", &LpNormalization::p)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<LpNormalization>);

/// ONNX MeanVarianceNormalization: (x - mean) / (standard deviation + 1e-9) over some axes.
struct MeanVarianceNormalization {
  static constexpr std::string_view name = "MeanVarianceNormalization";
  Shape axes{0, 2, 3};

  static constexpr auto attributes() {
    return std::tuple{attr("axes", &MeanVarianceNormalization::axes)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<MeanVarianceNormalization>);

}  // namespace strata::hir
