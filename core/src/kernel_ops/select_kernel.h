#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Select between elements of a fixed width.
struct SelectKernel {
  static constexpr std::string_view name = "SelectKernel";
  Isa isa = Isa::baseline;

  static constexpr auto attributes() { return std::tuple{attr("isa", &SelectKernel::isa)}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<SelectKernel>);

}  // namespace strata
