#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Transpose of elements of a fixed width.
struct TransposeKernel {
  static constexpr std::string_view name = "TransposeKernel";
  std::vector<std::int64_t> perm;  ///< empty: all axes in reverse

  static constexpr auto attributes() { return std::tuple{attr("perm", &TransposeKernel::perm)}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<TransposeKernel>);

}  // namespace strata
