#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX CenterCropPad: crops the middle out of axes that are too long, and pads those that are too
/// short on both sides.
struct CenterCropPad {
  static constexpr std::string_view name = "CenterCropPad";
  std::optional<Shape> axes;  ///< absent: all

  static constexpr auto attributes() { return std::tuple{attr("axes", &CenterCropPad::axes)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<CenterCropPad>);

}  // namespace strata::hir
