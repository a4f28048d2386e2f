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
  /// Quantize and Dequantize of one scale behind the Pad, the last first: `value` is what they make
  /// of it.
  SmallVector<std::uint32_t, 2> behind;
};

/// The first operand of a node that slides a window, where it is one.
std::optional<PaddedImage> padded_image(const NodeView& window);
/// The node as `op`, which pads itself: it reads the image, and what is behind the Pad does.
Rewrite without_pad(const NodeView& window, const PaddedImage& padded, TypedOp op);
/// What the window has to pad by instead of the Pad; none where that depends on the sizes.
std::optional<Padding> joined(const PaddedImage& image, const Padding& padding);

}  // namespace strata
