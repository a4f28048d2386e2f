#pragma once

#include "strata/core/patch.h"

namespace strata {

/// Cuts a tensor into parts along one axis.
///
///   inputs   data              T[.., d, ..]
///            sizes, optional   integers[outputs]; absent: ceil(d / outputs) each, the last ones
///                              smaller
///   outputs  `outputs` tensors T[.., sizes[i], ..]
///   source   ONNX Split-18; NNEF split
///
///   (C1) 1 to 2^20 outputs         (C2) axis within the rank
///   (C3) one size an output, none negative     (C4) the sizes sum up to the axis
struct Split {
  static constexpr std::string_view name = "Split";
  static constexpr bool evaluates_dims = true;
  static constexpr bool moves_elements = true;
  std::int64_t axis = 0;  ///< negative counts from the end
  std::size_t outputs = 1;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &Split::axis), attr("outputs", &Split::outputs)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Split>);

}  // namespace strata
