#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/gather_nd.h"

namespace strata {

/// GatherNd of elements of a fixed width.
struct GatherNdKernel {
  static constexpr std::string_view name = "GatherNdKernel";
  std::int64_t batch_dims = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("batch_dims", &GatherNdKernel::batch_dims)};
  }
  FactList output_facts(Facts in) const { return GatherNd{batch_dims}.output_facts(in); }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<GatherNdKernel>);

}  // namespace strata
