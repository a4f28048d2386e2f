#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Pad with a constant, on elements of a fixed width.
struct PadKernel {
  static constexpr std::string_view name = "PadKernel";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
};
static_assert(OpDef<PadKernel>);

}  // namespace strata
