#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/pool.h"

namespace strata {

/// Max or average over windows of an f32 input, up to three spatial axes.
struct PoolKernel {
  static constexpr std::string_view name = "PoolKernel";
  PoolKind kind = PoolKind::max;
  Shape kernel;
  Shape strides;
  Shape dilations;
  Padding padding;
  WindowRounding rounding = WindowRounding::floor;
  bool count_padding = false;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("kind", &PoolKernel::kind),
                      attr("kernel", &PoolKernel::kernel),
                      attr("strides", &PoolKernel::strides),
                      attr("dilations", &PoolKernel::dilations),
                      attr("padding", &PoolKernel::padding),
                      attr("rounding", &PoolKernel::rounding),
                      attr("count_padding", &PoolKernel::count_padding),
                      attr("isa", &PoolKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
};
static_assert(OpDef<PoolKernel>);

}  // namespace strata
