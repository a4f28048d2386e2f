#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/pad.h"

namespace strata {

/// Pad on elements of a fixed width.
struct PadKernel {
  static constexpr std::string_view name = "PadKernel";

  PadMode mode = PadMode::constant;

  static constexpr auto attributes() { return std::tuple{attr("mode", &PadKernel::mode)}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<PadKernel>);

}  // namespace strata
