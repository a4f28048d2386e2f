#pragma once

#include "strata/core/patch.h"

namespace strata {

/// Takes each element from one of two tensors; the three shapes broadcast numpy's way.
///
///   inputs   condition   bool[..]
///            a, b        T[..], T[..]
///   output   T[..]       a where the condition holds, b elsewhere
///   source   ONNX Where-16; NNEF select
///
///   (C1) three inputs
///   (C2) a bool condition
///   (C3) one type of a and b
///   (C4) shapes that broadcast
struct Select {
  static constexpr std::string_view name = "Select";
  static constexpr bool evaluates_dims = true;
  static constexpr bool moves_elements = true;

  static constexpr auto attributes() { return std::tuple{}; }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Select>);

}  // namespace strata
