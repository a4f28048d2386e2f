#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The greatest element of each cell of regions of images; cells are made of whole elements.
///
///   inputs   x      T[N, C, H, W]
///            rois   T[R, 5]: image, x1, y1, x2, y2 each, the last row and column included
///   output   T[R, C, height, width]; 0 for a cell outside the image
///   source   ONNX MaxRoiPool-22; Girshick, Fast R-CNN
///
/// Corners are scaled, then rounded with halves away from 0; a region has at least one row and
/// column. Cell i of h rows holds rows floor(i h / height) up to ceil((i + 1) h / height).
///
///   (C1) two inputs of one float type     (C2) ranks 4 and 2, five numbers a region
///   (C3) images within the batch          (C4) height and width of at least 1
struct RoiPool {
  static constexpr std::string_view name = "RoiPool";
  std::int64_t height = 1;
  std::int64_t width = 1;
  double scale = 1;  ///< from the units of the regions to elements

  static constexpr auto attributes() {
    return std::tuple{attr("height", &RoiPool::height), attr("width", &RoiPool::width),
                      attr("scale", &RoiPool::scale)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<RoiPool>);

}  // namespace strata
