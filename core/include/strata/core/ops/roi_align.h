#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

/// What a RoiAlign makes of the samples of a cell.
enum class RoiMode : std::uint8_t { average, max };

constexpr auto enumerators(RoiMode) {
  return std::to_array<std::pair<RoiMode, std::string_view>>(
      {{RoiMode::average, "average"}, {RoiMode::max, "max"}});
}

/// Samples regions of images on a grid of cells of one size.
///
///   inputs   x      T[N, C, H, W]
///            rois   T[R, 4], x1, y1, x2, y2 each
///            items  i64[R], the image of each
///   output   T[R, C, height, width]
///   source   ONNX RoiAlign-22
///
/// A sample is interpolated between its four neighbours; max takes the greatest weighted neighbour
/// of all samples.
///
///   (C1) three inputs                            (C2) x and rois of one float type, items i64
///   (C3) ranks 4, 2 and 1, four numbers a region (C4) items within the batch
///   (C5) one cell or more, up to 65536 samples along each axis of a cell
struct RoiAlign {
  static constexpr std::string_view name = "RoiAlign";
  RoiMode mode = RoiMode::average;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t samples = 0;  ///< along each axis of a cell; 0: its size, rounded up
  double scale = 1;          ///< from the units of the regions to elements
  bool half_pixel =
      true;  ///< whether regions are shifted by half an element; else their sizes are at least 1

  static constexpr auto attributes() {
    return std::tuple{attr("mode", &RoiAlign::mode),   attr("height", &RoiAlign::height),
                      attr("width", &RoiAlign::width), attr("samples", &RoiAlign::samples),
                      attr("scale", &RoiAlign::scale), attr("half_pixel", &RoiAlign::half_pixel)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<RoiAlign>);

}  // namespace strata
