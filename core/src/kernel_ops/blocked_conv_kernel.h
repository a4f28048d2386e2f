#pragma once

#include <string>

#include "kernel_ops/blocked_image.h"
#include "strata/core/ops/conv.h"

namespace strata {

/// activation(conv(x, w) + bias + residual) on f32, from or to an image in blocks, over one or two
/// axes.
///
///   inputs   x, in blocks or planes as `input` says; weights packed for `isa`; bias f32[whole
///            blocks] (may be missing); with `residual`, last, one value per element of the output
///   output   in blocks or planes as `output` says; in planes only without a residual
struct BlockedConvKernel {
  static constexpr std::string_view name = "BlockedConvKernel";
  Shape strides;
  Shape dilations;
  Padding padding;
  std::int64_t group = 1;
  Shape weights;  ///< shape before packing
  kernels::BlockedMethod method = kernels::BlockedMethod::direct;
  kernels::Layout input = kernels::Layout::blocks;
  kernels::Layout output = kernels::Layout::blocks;
  bool residual = false;
  KernelFunction activation;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("strides", &BlockedConvKernel::strides),
                      attr("dilations", &BlockedConvKernel::dilations),
                      attr("padding", &BlockedConvKernel::padding),
                      attr("group", &BlockedConvKernel::group),
                      attr("weights", &BlockedConvKernel::weights),
                      attr("method", &BlockedConvKernel::method),
                      attr("input", &BlockedConvKernel::input),
                      attr("output", &BlockedConvKernel::output),
                      attr("residual", &BlockedConvKernel::residual),
                      attr("activation", &BlockedConvKernel::activation),
                      attr("isa", &BlockedConvKernel::isa)};
  }
  Conv op() const { return {strides, dilations, padding, group}; }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;

  /// Whether there is a bias among this many inputs.
  bool has_bias(std::size_t inputs) const { return inputs > (residual ? 3u : 2u); }
  /// x as the portable op sees it.
  Fact plane_input(const Fact& x) const;
  /// The sizes for x and y, which are in blocks or planes: only their batch and spatial axes are
  /// read.
  kernels::BlockedShape shape(Span x, Span y) const;
};
static_assert(OpDef<BlockedConvKernel>);

/// Whether a kernel for blocks exists for weights of this shape, and blocks would not be empty.
bool fits_blocks(const Conv& conv, const Shape& weights, Isa isa);

/// A bias padded to whole blocks.
Tensor padded_bias(const Tensor& bias);

}  // namespace strata
