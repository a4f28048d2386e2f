#pragma once

#include "kernel_ops/blocked_image.h"
#include "strata/core/ops/grid_sample.h"

namespace strata {

/// GridSample of f32 by a grid of f32, from and to planes or blocks: what some places are made from
/// is found once for all channels.
struct GridSampleKernel : GridSample {
  static constexpr std::string_view name = "GridSampleKernel";
  static constexpr bool moves_elements = false;
  kernels::Layout layout = kernels::Layout::planes;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple_cat(
        GridSample::attributes(),
        std::tuple{attr("layout", &GridSampleKernel::layout), attr("isa", &GridSampleKernel::isa)});
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<GridSampleKernel>);

}  // namespace strata
