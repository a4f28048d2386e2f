#pragma once

#include "strata/core/ops/spatial.h"
#include "strata/core/patch.h"

namespace strata {

/// The sizes of a convolution from [batch, groups * in_channels, in..] to [batch, groups *
/// out_channels, out..].
struct ConvGeometry {
  std::int64_t batch = 1;
  std::int64_t groups = 1;
  std::int64_t in_channels = 1;   ///< of one group
  std::int64_t out_channels = 1;  ///< of one group
  std::vector<AxisWindow> axes;

  std::int64_t in_positions() const;
  std::int64_t out_positions() const;
  std::int64_t taps() const;
  double flops() const;  ///< a product and a sum for each pair of an output and what it reads
};

/// Slides kernels over the spatial axes and sums over channels and taps (a cross-correlation).
///
///   inputs   x  T[N, C, D1, ..], w  T[M, C / group, k1, ..], bias  T[M] (may be missing)
///   output   T[N, M, o1, ..]
///   source   ONNX Conv-22
///
/// Integers wrap; floats below 32 bits are summed in f32.
///
///   (C1) two or three inputs                 (C2) one numeric element type
///   (C3) ranks of x and w equal, at least 2  (C4) strides, dilations and pads fit the spatial axes
///   (C5) C = group * (C / group) of w        (C6) group divides M
///   (C7) bias of shape [M]
struct Conv {
  static constexpr std::string_view name = "Conv";
  Shape strides;    ///< one per spatial axis; empty for ones
  Shape dilations;  ///< one per spatial axis; empty for ones
  Padding padding;
  std::int64_t group = 1;

  static constexpr auto attributes() {
    return std::tuple{attr("strides", &Conv::strides), attr("dilations", &Conv::dilations),
                      attr("padding", &Conv::padding), attr("group", &Conv::group)};
  }

  WindowSpec window() const { return {strides, dilations, padding}; }
  /// The sizes for these shapes. Throws: run_time when they do not agree.
  ConvGeometry geometry(const Shape& x, const Shape& w) const;

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
  Cost cost(Facts in, Facts out) const;
};
static_assert(OpDef<Conv>);

}  // namespace strata
