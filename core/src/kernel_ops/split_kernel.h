#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Split of elements of a fixed width. A part that already lies in place in the operand is not
/// copied.
struct SplitKernel {
  static constexpr std::string_view name = "SplitKernel";
  std::int64_t axis = 0;  ///< negative counts from the end
  std::size_t outputs = 1;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &SplitKernel::axis), attr("outputs", &SplitKernel::outputs)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<SplitKernel>);

}  // namespace strata
