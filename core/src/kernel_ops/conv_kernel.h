#pragma once

#include "kernel_ops/kernel_op.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/conv.h"

namespace strata {

/// activation(conv(x, w) + bias) on f32, up to three spatial axes.
///
///   inputs   x; weights packed for `isa`; bias f32[M] (may be missing)
struct ConvKernel {
  static constexpr std::string_view name = "ConvKernel";
  Shape strides;
  Shape dilations;
  Padding padding;
  std::int64_t group = 1;
  Shape weights;  ///< shape before packing
  KernelFunction activation;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{
        attr("strides", &ConvKernel::strides), attr("dilations", &ConvKernel::dilations),
        attr("padding", &ConvKernel::padding), attr("group", &ConvKernel::group),
        attr("weights", &ConvKernel::weights), attr("activation", &ConvKernel::activation),
        attr("isa", &ConvKernel::isa)};
  }
  Conv op() const { return {strides, dilations, padding, group}; }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<ConvKernel>);

inline constexpr std::size_t kMaxSpatialAxes = 3;
/// The sizes of `op` with weights of this shape, for x and y: only their batch and first spatial
/// axes are read.
kernels::ConvShape conv_shape(const Conv& op, Span weights, Span x, Span y);
/// The same, but an image of one column is not treated as a row: for weights that are packed axis
/// by axis before there is an image.
kernels::ConvShape plain_conv_shape(const Conv& op, Span weights, Span x, Span y);
/// What there is to do in a convolution of these sizes.
WorkSize work_of(const kernels::ConvShape& shape) noexcept;
/// Sets the window along axis `i` of `count`; unused leading axes keep their defaults.
void set_window_axis(kernels::Window& window, std::size_t i, std::size_t count,
                     const AxisWindow& axis) noexcept;
/// The padding before axis `i`, when the axis has `axis.out` outputs; `axis.before` is not read.
std::int64_t padding_before(const Padding& padding, std::size_t i, const AxisWindow& axis) noexcept;

}  // namespace strata
