#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Softmax of f32 over the last axis; may write over its input.
struct SoftmaxKernel {
  static constexpr std::string_view name = "SoftmaxKernel";
  Isa isa = Isa::baseline;

  static constexpr auto attributes() { return std::tuple{attr("isa", &SoftmaxKernel::isa)}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<SoftmaxKernel>);

}  // namespace strata
