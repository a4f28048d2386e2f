#pragma once

#include "strata/core/ops/scatter_reduction.h"
#include "strata/core/typed_op.h"

namespace strata {

/// Data with single elements replaced by, or joined with, updates: each index says where along one
/// axis, its own place says where along the others. Of several updates of one element, the last
/// wins.
///
///   inputs   data             T[..]
///            indices          integers[..] of data's rank; negative counts from the end
///            updates          T of indices' shape
///   output   T of data's shape
///   source   ONNX ScatterElements-18; tract_core_scatter_elements
///
///   (C1) indices are integers, updates of data's type     (C2) equal ranks, axis within them
///   (C3) updates and indices have one shape               (C4) indices within data
struct ScatterElements {
  static constexpr std::string_view name = "ScatterElements";
  static constexpr bool moves_elements = true;
  std::int64_t axis = 0;  ///< negative counts from the end
  ScatterReduction reduction = ScatterReduction::none;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &ScatterElements::axis),
                      attr("reduction", &ScatterElements::reduction)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<ScatterElements>);

}  // namespace strata
