#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Gather of elements of a fixed width.
struct GatherKernel {
  static constexpr std::string_view name = "GatherKernel";
  std::int64_t axis = 0;  ///< negative counts from the end

  static constexpr auto attributes() { return std::tuple{attr("axis", &GatherKernel::axis)}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<GatherKernel>);

}  // namespace strata
