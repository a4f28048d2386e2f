#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/roi_align.h"

namespace strata {

/// RoiAlign of f32 by averages. Its samples lie on a lattice, so a region is a part of its image
/// resized: tables of rows and columns are made once for each region and serve all channels.
struct RoiAlignKernel : RoiAlign {
  static constexpr std::string_view name = "RoiAlignKernel";
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple_cat(RoiAlign::attributes(), std::tuple{attr("isa", &RoiAlignKernel::isa)});
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<RoiAlignKernel>);

}  // namespace strata
