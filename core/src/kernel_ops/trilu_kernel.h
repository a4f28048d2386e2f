#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/trilu.h"

namespace strata {

/// Trilu of elements of whole bytes; may write over its first input.
struct TriluKernel {
  static constexpr std::string_view name = "TriluKernel";
  Triangle kept = Triangle::upper;

  static constexpr auto attributes() { return std::tuple{attr("kept", &TriluKernel::kept)}; }
  FactList output_facts(Facts in) const { return Trilu{kept}.output_facts(in); }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<TriluKernel>);

}  // namespace strata
