#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Joins tensors end to end along one axis.
///
///   inputs   n >= 1 tensors   T[.., a_i, ..]
///   output   one tensor       T[.., sum(a_i), ..]
///   source   ONNX Concat-13; NNEF concat
///
///   (C1) at least one input      (C2) one element type
///   (C3) axis within the rank    (C4) equal ranks, and equal dims off the axis
struct Concat {
  static constexpr std::string_view name = "Concat";
  static constexpr bool evaluates_dims = true;
  static constexpr bool moves_elements = true;
  std::int64_t axis = 0;  ///< joined axis; negative counts from the end

  static constexpr auto attributes() { return std::tuple{attr("axis", &Concat::axis)}; }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Concat>);

}  // namespace strata
