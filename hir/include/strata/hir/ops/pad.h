#pragma once

#include "strata/core/ops/pad.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Pad; before version 11 the pads and the value were attributes.
struct Pad {
  static constexpr std::string_view name = "Pad";
  PadMode mode = PadMode::constant;
  std::optional<Shape> pads;  ///< absent: input 1
  double value = 0;           ///< used when the pads are an attribute

  static constexpr auto attributes() {
    return std::tuple{attr("mode", &Pad::mode), attr("pads", &Pad::pads),
                      attr("value", &Pad::value)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Pad>);

}  // namespace strata::hir
