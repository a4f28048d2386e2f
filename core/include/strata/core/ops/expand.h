#pragma once

#include "strata/core/patch.h"

namespace strata {

/// Broadcasts a tensor with a shape: an axis of size 1 stretches, and the target may have 1 where
/// data has more.
///
///   inputs   data             T[..]
///            shape            integers[n]
///   output   T[broadcast(data, shape)]
///   source   ONNX Expand-13; tract_core_broadcast
///
///   (C1) the target is a vector of integers, none negative     (C2) data broadcasts with it
struct Expand {
  static constexpr std::string_view name = "Expand";
  static constexpr bool evaluates_dims = true;
  static constexpr bool moves_elements = true;

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Expand>);

}  // namespace strata
