#pragma once

#include "strata/core/ops/scatter_reduction.h"
#include "strata/core/typed_op.h"

namespace strata {

/// Data with slices replaced by, or joined with, updates; each slice is named by a tuple of
/// indices. Of several updates of one slice, the last wins.
///
///   inputs   data             T[d_0, .., d_k-1, s..]
///            indices          integers[i.., k]; negative counts from the end
///            updates          T[i.., s..]
///   output   T of data's shape
///   source   ONNX ScatterND-18; tract_core_scatter_nd
///
///   (C1) indices are integers of rank >= 1, updates of data's type
///   (C2) k is at most data's rank
///   (C3) updates have shape [i.., s..]
///   (C4) indices within their axes
struct ScatterNd {
  static constexpr std::string_view name = "ScatterNd";
  static constexpr bool moves_elements = true;
  ScatterReduction reduction = ScatterReduction::none;

  static constexpr auto attributes() {
    return std::tuple{attr("reduction", &ScatterNd::reduction)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<ScatterNd>);

}  // namespace strata
