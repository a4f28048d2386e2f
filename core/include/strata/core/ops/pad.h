#pragma once

#include "strata/core/patch.h"

namespace strata {

/// What the elements that Pad adds hold: a constant, the data mirrored without its edge, the edge,
/// or the data again.
enum class PadMode { constant, reflect, edge, wrap };
constexpr auto enumerators(PadMode) {
  using enum PadMode;
  return std::array<std::pair<PadMode, std::string_view>, 4>{
      {{constant, "constant"}, {reflect, "reflect"}, {edge, "edge"}, {wrap, "wrap"}}};
}

/// Adds elements before and after data along some axes; negative amounts take elements away.
///
///   inputs   data              T[d_0, ..]
///            pads              integers[2n]: the amounts before, then those after
///            value, optional   T scalar; absent: zero (the empty string)
///            axes, optional    integers[n]; absent: all
///   output   T[d_0 + before + after, ..]
///   source   ONNX Pad-19; tract_core_pad
///
///   (C1) pads are a vector of two integers an axis     (C2) the value has data's type
///   (C3) axes within the rank, none twice              (C4) no axis gets a negative size
///   (C5) reflect, edge and wrap read data that is there
struct Pad {
  static constexpr std::string_view name = "Pad";
  static constexpr bool moves_elements = true;
  PadMode mode = PadMode::constant;

  static constexpr auto attributes() { return std::tuple{attr("mode", &Pad::mode)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Pad>);

}  // namespace strata
