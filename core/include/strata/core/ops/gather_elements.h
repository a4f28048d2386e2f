#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Picks single elements: each index says where along one axis, its own place says where along the
/// others.
///
///   inputs   data             T[..]
///            indices          integers[..] of data's rank; negative counts from the end
///   output   T of indices' shape
///   source   ONNX GatherElements-13; tract_core_gather_elements
///
///   (C1) indices are integers       (C2) equal ranks, axis within them
///   (C3) indices are no larger than data off the axis, and their values lie within it
struct GatherElements {
  static constexpr std::string_view name = "GatherElements";
  static constexpr bool moves_elements = true;
  std::int64_t axis = 0;  ///< negative counts from the end

  static constexpr auto attributes() { return std::tuple{attr("axis", &GatherElements::axis)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<GatherElements>);

}  // namespace strata
