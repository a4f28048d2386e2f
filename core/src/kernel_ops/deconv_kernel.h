#pragma once

#include "kernel_ops/blocked_image.h"
#include "strata/core/ops/deconv.h"

namespace strata {

/// activation(deconv(x, w) + bias) on f32: directly, up to three axes, from and to planes, or by
/// Winograd's method, two axes and one group.
///
///   inputs   x, in blocks or planes as `input` says; weights packed for `isa` and `method`; bias
///            f32[M], of whole blocks unless direct (may be missing)
///   output   as `output` says
struct DeconvKernel {
  static constexpr std::string_view name = "DeconvKernel";
  Shape strides;
  Shape dilations;
  Padding padding;
  std::int64_t group = 1;
  Shape output_padding;
  std::optional<Shape> output_shape;
  Shape weights;  ///< shape before packing
  kernels::BlockedMethod method = kernels::BlockedMethod::direct;
  kernels::Layout input = kernels::Layout::planes;
  kernels::Layout output = kernels::Layout::planes;
  KernelFunction activation;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("strides", &DeconvKernel::strides),
                      attr("dilations", &DeconvKernel::dilations),
                      attr("padding", &DeconvKernel::padding),
                      attr("group", &DeconvKernel::group),
                      attr("output_padding", &DeconvKernel::output_padding),
                      attr("output_shape", &DeconvKernel::output_shape),
                      attr("weights", &DeconvKernel::weights),
                      attr("method", &DeconvKernel::method),
                      attr("input", &DeconvKernel::input),
                      attr("output", &DeconvKernel::output),
                      attr("activation", &DeconvKernel::activation),
                      attr("isa", &DeconvKernel::isa)};
  }
  /// The direct kernel to replace an op on constant weights.
  static DeconvKernel of(const Deconv& op, const Shape& weights, Isa isa);
  Deconv op() const { return {strides, dilations, padding, group, output_padding, output_shape}; }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;

  bool is_direct() const { return method == kernels::BlockedMethod::direct; }
  /// x as the portable op sees it.
  Fact plane_input(const Fact& x) const;
  /// The sizes of the convolution that this is the transpose of, for x and y in blocks or planes,
  /// of which only the batch and the spatial axes are read.
  kernels::ConvShape shape(Span x, Span y) const;
  /// Unless direct, those of the convolution that makes all phases of an output at once.
  kernels::BlockedShape spread_shape(Span x, Span y) const;
};
static_assert(OpDef<DeconvKernel>);

}  // namespace strata
