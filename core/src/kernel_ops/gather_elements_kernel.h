#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// GatherElements of elements of a fixed width.
struct GatherElementsKernel {
  static constexpr std::string_view name = "GatherElementsKernel";
  std::int64_t axis = 0;  ///< negative counts from the end

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &GatherElementsKernel::axis)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<GatherElementsKernel>);

}  // namespace strata
