#pragma once

#include <optional>

#include "strata/core/ops/spatial.h"
#include "strata/core/patch.h"

namespace strata {

/// An image [N, C, D1, ..] whose spatial axes a Pad surrounds with one number.
struct PaddedImage {
  OutletId image;
  Shape amounts;  ///< all before, then all after, none below 0
  double value;
};

/// The first operand of a node that slides a window, where it is one.
std::optional<PaddedImage> padded_image(const NodeView& window);
/// What the window has to pad by instead of the Pad; none where that depends on the sizes.
std::optional<Padding> joined(const PaddedImage& image, const Padding& padding);

}  // namespace strata
