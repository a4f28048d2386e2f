#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/reduce.h"

namespace strata {

/// Reduce along fixed axes, of every type of numbers.
struct ReduceKernel {
  static constexpr std::string_view name = "ReduceKernel";
  Reduction op = Reduction::sum;
  std::vector<std::int64_t> axes;  ///< negative ones count from the end
  bool keep_dims = true;
  NoAxes no_axes = NoAxes::means_all;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &ReduceKernel::op), attr("axes", &ReduceKernel::axes),
                      attr("keep_dims", &ReduceKernel::keep_dims),
                      attr("no_axes", &ReduceKernel::no_axes), attr("isa", &ReduceKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<ReduceKernel>);

}  // namespace strata
