#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/deconv.h"

namespace strata {

/// activation(deconv(x, w) + bias) on f32, up to three spatial axes.
///
///   inputs   x; weights packed for `isa`; bias f32[M] (may be missing)
struct DeconvKernel {
  static constexpr std::string_view name = "DeconvKernel";
  Shape strides;
  Shape dilations;
  Padding padding;
  std::int64_t group = 1;
  Shape output_padding;
  std::optional<Shape> output_shape;
  Shape weights;  ///< shape before packing
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
                      attr("activation", &DeconvKernel::activation),
                      attr("isa", &DeconvKernel::isa)};
  }
  Deconv op() const { return {strides, dilations, padding, group, output_padding, output_shape}; }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<DeconvKernel>);

}  // namespace strata
