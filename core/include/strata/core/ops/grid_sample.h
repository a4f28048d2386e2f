#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

/// How a GridSample computes an output from the inputs around its place.
enum class GridMode : std::uint8_t { nearest, linear, cubic };

constexpr auto enumerators(GridMode) {
  using enum GridMode;
  return std::to_array<std::pair<GridMode, std::string_view>>(
      {{nearest, "nearest"}, {linear, "linear"}, {cubic, "cubic"}});
}

/// What a GridSample finds outside the input.
enum class GridPadding : std::uint8_t { zeros, border, reflection };

constexpr auto enumerators(GridPadding) {
  using enum GridPadding;
  return std::to_array<std::pair<GridPadding, std::string_view>>(
      {{zeros, "zeros"}, {border, "border"}, {reflection, "reflection"}});
}

/// Samples each plane of x at the places a grid names.
///
///   inputs   x     T[N, C, D1, .., Dn]
///            grid  float[N, o1, .., on, n]; the last axis is a place, the coordinate of Dn first,
///                  from -1 at the beginning of an axis to 1 at its end
///   output   T[N, C, o1, .., on]
///   source   ONNX GridSample-22
///
///   (C1) two inputs
///   (C2) a real element type unless nearest; a grid of floats
///   (C3) equal ranks from 3 on, to 5 if cubic, to 10 if linear
///   (C4) equal batches, n coordinates a place
struct GridSample {
  static constexpr std::string_view name = "GridSample";
  static constexpr bool moves_elements = true;
  GridMode mode = GridMode::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners =
      false;  ///< whether -1 and 1 are the centres of the outer elements, or their edges

  static constexpr auto attributes() {
    return std::tuple{attr("mode", &GridSample::mode), attr("padding", &GridSample::padding),
                      attr("align_corners", &GridSample::align_corners)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<GridSample>);

}  // namespace strata
