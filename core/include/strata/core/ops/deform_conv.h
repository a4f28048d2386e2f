#pragma once

#include "strata/core/ops/conv.h"

namespace strata {

/// A convolution whose taps are moved, each by an offset of its own at each output, and weighted by
/// a mask.
///
///   inputs   x        T[N, C, D1, .., Dn], w  T[M, C / group, k1, ..]
///            offsets  T[N, offset_group * taps * n, o1, ..], in elements of the axes in order
///            mask     T[N, offset_group * taps, o1, ..] (may be missing: ones)
///   output   T[N, M, o1, ..]
///   source   ONNX DeformConv-22
///
/// Between elements x is interpolated linearly; outside it is zero.
///
///   (C1) three or four inputs                  (C2) one float element type
///   (C3) equal ranks, at least 3               (C4) what Conv asks of x and w
///   (C5) offsets and mask of the shapes above  (C6) offset_group divides C
struct DeformConv {
  static constexpr std::string_view name = "DeformConv";
  Shape strides;    ///< one per spatial axis; empty for ones
  Shape dilations;  ///< one per spatial axis; empty for ones
  Padding padding;
  std::int64_t group = 1;
  std::int64_t offset_group = 1;

  static constexpr auto attributes() {
    return std::tuple{attr("strides", &DeformConv::strides),
                      attr("dilations", &DeformConv::dilations),
                      attr("padding", &DeformConv::padding), attr("group", &DeformConv::group),
                      attr("offset_group", &DeformConv::offset_group)};
  }

  /// The convolution without offsets.
  Conv plain() const { return {strides, dilations, padding, group}; }
  /// The shape that input 2, the offsets, or 3, the mask, must have.
  Shape operand_shape(const ConvGeometry& geometry, std::size_t input) const;
  /// Whether the channels divide into `offset_group` groups.
  bool has_equal_groups(const ConvGeometry& geometry) const;

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<DeformConv>);

}  // namespace strata
