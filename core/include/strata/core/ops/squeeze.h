#pragma once

#include "strata/core/patch.h"

namespace strata {

/// Removes axes of size 1.
///
///   inputs   data             T[..]
///            axes, optional   integers[n]; absent: every axis of size 1
///   output   T[..]
///   source   ONNX Squeeze-13; NNEF squeeze
///
///   (C1) axes are integers, within the rank, none twice     (C2) the axes have size 1
struct Squeeze {
  static constexpr std::string_view name = "Squeeze";
  static constexpr bool evaluates_dims = true;

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Squeeze>);

}  // namespace strata
