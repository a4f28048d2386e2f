#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// How the channels are laid out: the block before the depth, or the depth before the block.
enum class DepthOrder { block_first, depth_first };
constexpr auto enumerators(DepthOrder) {
  using enum DepthOrder;
  return std::array<std::pair<DepthOrder, std::string_view>, 2>{
      {{block_first, "DCR"}, {depth_first, "CRD"}}};
}

/// ONNX DepthToSpace: moves channels into blocks of height and width.
struct DepthToSpace {
  static constexpr std::string_view name = "DepthToSpace";
  std::int64_t block = 1;
  DepthOrder order = DepthOrder::block_first;

  static constexpr auto attributes() {
    return std::tuple{attr("block", &DepthToSpace::block), attr("order", &DepthToSpace::order)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<DepthToSpace>);

/// ONNX SpaceToDepth: the inverse.
struct SpaceToDepth {
  static constexpr std::string_view name = "SpaceToDepth";
  std::int64_t block = 1;
  DepthOrder order = DepthOrder::block_first;

  static constexpr auto attributes() {
    return std::tuple{attr("block", &SpaceToDepth::block), attr("order", &SpaceToDepth::order)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<SpaceToDepth>);

}  // namespace strata::hir
