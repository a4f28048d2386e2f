#pragma once

#include "strata/core/patch.h"

namespace strata {

/// Inserts axes of size 1.
///
///   inputs   data             T[..]
///            axes             integers[n]: where the new axes are in the output
///   output   T[..]            with n more axes
///   source   ONNX Unsqueeze-13; NNEF unsqueeze
///
///   (C1) axes are integers, within the output's rank, none twice
struct Unsqueeze {
  static constexpr std::string_view name = "Unsqueeze";
  static constexpr bool evaluates_dims = true;

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Unsqueeze>);

}  // namespace strata
