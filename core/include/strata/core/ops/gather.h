#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Picks slices of data along one axis.
///
///   inputs   data             T[a.., d, b..]
///            indices          integers[i..]; negative counts from the end
///   output   T[a.., i.., b..]
///   source   ONNX Gather-13; tract_core_gather
///
///   (C1) indices are integers     (C2) axis within data's rank     (C3) indices within the axis
struct Gather {
  static constexpr std::string_view name = "Gather";
  static constexpr bool evaluates_dims = true;
  static constexpr bool moves_elements = true;
  std::int64_t axis = 0;  ///< negative counts from the end

  static constexpr auto attributes() { return std::tuple{attr("axis", &Gather::axis)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Gather>);

}  // namespace strata
