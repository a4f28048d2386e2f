#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Tile-1: repeats input 0 as often as input 1 says along the axis that input 2 names.
struct TileAxis {
  static constexpr std::string_view name = "TileAxis";
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<TileAxis>);

}  // namespace strata::hir
