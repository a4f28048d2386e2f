#pragma once

#include "strata/core/ops/conv.h"

namespace strata {

/// Spreads each input over a window of outputs: the transpose of a convolution.
///
///   inputs   x  T[N, C, D1, ..], w  T[C, M / group, k1, ..], bias  T[M] (may be missing)
///   output   T[N, M, o1, ..]
///   source   ONNX ConvTranspose-22
///
/// Sizes: o = stride * (D - 1) + dilation * (k - 1) + 1 + output_padding - before - after. With
/// `output_shape`, or a `same` padding (o = stride * D), the padding is what makes this hold,
/// split in two; the larger half is at the end for same_upper, at the beginning otherwise. Where it
/// would be negative, zeros are added at the end. Integers wrap; floats below 32 bits are summed in
/// f32.
///
///   (C1) two or three inputs                 (C2) one numeric element type
///   (C3) ranks of x and w equal, at least 2  (C4) all lists fit the spatial axes
///   (C5) C of x = C of w                     (C6) group divides C
///   (C7) bias of shape [M]                   (C8) no output size is negative
struct Deconv {
  static constexpr std::string_view name = "Deconv";
  Shape strides;    ///< one per spatial axis; empty for ones
  Shape dilations;  ///< one per spatial axis; empty for ones
  Padding padding;
  std::int64_t group = 1;
  Shape output_padding;               ///< one per spatial axis; empty for zeros
  std::optional<Shape> output_shape;  ///< sizes of the spatial axes

  static constexpr auto attributes() {
    return std::tuple{attr("strides", &Deconv::strides),
                      attr("dilations", &Deconv::dilations),
                      attr("padding", &Deconv::padding),
                      attr("group", &Deconv::group),
                      attr("output_padding", &Deconv::output_padding),
                      attr("output_shape", &Deconv::output_shape)};
  }

  /// The sizes of the convolution this is the transpose of: its input is our output. Throws:
  /// run_time.
  ConvGeometry geometry(const Shape& x, const Shape& w) const;

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Cost cost(Facts in, Facts out) const;
};
static_assert(OpDef<Deconv>);

}  // namespace strata
