#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Picks boxes by score, leaving out those that overlap a picked one too much.
///
///   inputs   boxes            f32[N, B, 4]
///            scores           f32[N, C, B]
///            most             i64, the most boxes picked for each item and class
///            iou_threshold    f32; a box is left out when its intersection over union with a
///                             picked one exceeds it
///            score_threshold  f32; a box is left out unless its score exceeds it
///   output   i64[n, 3]: item, class and box of each picked one, the classes in order, the best box
///            first
///   source   ONNX NonMaxSuppression-11
///
///   (C1) five inputs
///   (C2) boxes and scores f32 of rank 3, the others of one element
///   (C3) as many boxes and items as scores, 4 numbers a box
struct NonMaxSuppression {
  static constexpr std::string_view name = "NonMaxSuppression";
  bool by_centre =
      false;  ///< a box is [x centre, y centre, width, height], else two corners, [y1, x1, y2, x2]

  static constexpr auto attributes() {
    return std::tuple{attr("by_centre", &NonMaxSuppression::by_centre)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<NonMaxSuppression>);

}  // namespace strata
