#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

/// Where -1 and 1 lie on an axis: at the centres of the outer elements, or at their outer edges.
enum class GridCorners { centres, edges };
constexpr auto enumerators(GridCorners) {
  using enum GridCorners;
  return std::array<std::pair<GridCorners, std::string_view>, 2>{
      {{centres, "centres"}, {edges, "edges"}}};
}

/// The places to which affine maps take the elements of an image, for GridSample.
///
///   inputs   theta            T[batch, n, n+1], n = 2 or 3: a map of each batch
///            size             i64[n+2]: batch, channels, height, width (or depth, height, width)
///   output   T[batch, height, width, n], coordinates with x, which runs along the width, first
///   source   ONNX AffineGrid-20
///
///   (C1) theta are floats of shape [batch, n, n+1]
///   (C2) size is a vector of n+2 integers, none negative
///   (C3) one batch size
struct AffineGrid {
  static constexpr std::string_view name = "AffineGrid";
  GridCorners corners = GridCorners::edges;

  static constexpr auto attributes() { return std::tuple{attr("corners", &AffineGrid::corners)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<AffineGrid>);

}  // namespace strata
