#pragma once

#include "strata/core/patch.h"

namespace strata {

/// Takes every step-th element from start until end along some axes, as Python does, except that a
/// start before the first element means the first, backward too.
///
///   inputs   data              T[d_0, ..]
///            starts, ends      integers[n]; negative counts from the end, all are clamped to the
///                              axis
///            axes, optional    integers[n]; absent: 0 .. n-1
///            steps, optional   integers[n]; absent: 1; a negative step goes backward
///   output   T[e_0, ..]
///   source   ONNX Slice-13; NNEF slice
///
///   (C1) the operands are integer vectors of one length     (C2) axes within the rank, none twice
///   (C3) no step is 0
struct Slice {
  static constexpr std::string_view name = "Slice";
  static constexpr bool evaluates_dims = true;
  static constexpr bool moves_elements = true;

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Slice>);

}  // namespace strata
