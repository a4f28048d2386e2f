#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Concat of elements of a fixed width. An operand that already lies where it belongs in the output
/// is not copied.
struct ConcatKernel {
  static constexpr std::string_view name = "ConcatKernel";
  std::int64_t axis = 0;  ///< negative counts from the end

  static constexpr auto attributes() { return std::tuple{attr("axis", &ConcatKernel::axis)}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<ConcatKernel>);

}  // namespace strata
