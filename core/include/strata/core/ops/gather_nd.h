#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Picks slices of data, each named by a tuple of indices.
///
///   inputs   data             T[b.., d_0, .., d_k-1, s..]
///            indices          integers[b.., i.., k]; negative counts from the end
///   output   T[b.., i.., s..]
///   source   ONNX GatherND-13; tract_core_gather_nd
///
///   (C1) indices are integers of rank >= 1     (C2) batch_dims below both ranks, equal batch dims
///   (C3) batch_dims + k is at most data's rank     (C4) indices within their axes
struct GatherNd {
  static constexpr std::string_view name = "GatherNd";
  static constexpr bool moves_elements = true;
  std::int64_t batch_dims = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("batch_dims", &GatherNd::batch_dims)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<GatherNd>);

}  // namespace strata
