#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// A new axis that holds the on value at each index and the off value elsewhere.
///
///   inputs   indices          real numbers[i..]; negative counts from depth, outside [-depth,
///                             depth) means all off
///            depth            one number: the size of the new axis
///            values           T[2]: off, on
///   output   T[i.., with depth at the axis]
///   source   ONNX OneHot-11; tract_core_one_hot
///
///   (C1) indices and depth are real numbers, values are not packed
///   (C2) depth is one element, not negative
///   (C3) two values                             (C4) axis within the output's rank
struct OneHot {
  static constexpr std::string_view name = "OneHot";
  std::int64_t axis = -1;  ///< where the new axis is in the output; negative counts from its end

  static constexpr auto attributes() { return std::tuple{attr("axis", &OneHot::axis)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<OneHot>);

}  // namespace strata
