#pragma once

#include "strata/core/patch.h"

namespace strata {

/// Repeats a tensor along each axis.
///
///   inputs   data             T[d_0, ..]
///            repeats          integers[rank]
///   output   T[d_0 * repeats[0], ..]
///   source   ONNX Tile-13; NNEF tile
///
///   (C1) one repeat an axis, integers     (C2) no repeat is negative
struct Tile {
  static constexpr std::string_view name = "Tile";
  static constexpr bool moves_elements = true;

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Tile>);

}  // namespace strata
