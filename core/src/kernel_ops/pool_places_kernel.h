#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/pool.h"

namespace strata {

/// Where the maxima of a Pool of f32 lie: from an image [N, C, D1, ..] and what the Pool makes of
/// it, the offset of the first element in each window that equals its maximum, or -1 where all of
/// it is padding.
struct PoolPlacesKernel {
  static constexpr std::string_view name = "PoolPlacesKernel";
  Shape kernel;
  Shape strides;
  Shape dilations;
  Padding padding;

  static constexpr auto attributes() {
    return std::tuple{attr("kernel", &PoolPlacesKernel::kernel),
                      attr("strides", &PoolPlacesKernel::strides),
                      attr("dilations", &PoolPlacesKernel::dilations),
                      attr("padding", &PoolPlacesKernel::padding)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<PoolPlacesKernel>);

}  // namespace strata
