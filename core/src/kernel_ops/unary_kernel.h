#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// A scalar function of each f32 element; may write over its input.
struct UnaryKernel {
  static constexpr std::string_view name = "UnaryKernel";
  KernelFunction function;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("function", &UnaryKernel::function), attr("isa", &UnaryKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<UnaryKernel>);

}  // namespace strata
