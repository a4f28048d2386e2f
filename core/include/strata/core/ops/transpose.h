#pragma once

#include "strata/core/patch.h"

namespace strata {

/// Reorders the axes: axis i of the output is axis perm[i] of the input.
///
///   input    a tensor         T[d_0, ..]
///   output   a tensor         T[d_perm[0], ..]
///   source   ONNX Transpose-13; NNEF transpose
///
///   (C1) perm, unless empty, is a permutation of the axes
struct Transpose {
  static constexpr std::string_view name = "Transpose";
  static constexpr bool moves_elements = true;
  std::vector<std::int64_t> perm;  ///< empty: all axes in reverse

  static constexpr auto attributes() { return std::tuple{attr("perm", &Transpose::perm)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Transpose>);

}  // namespace strata
