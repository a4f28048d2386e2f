#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// x / sqrt(mean(x^2) + epsilon) of f32 along the last axis, times one number for each element of a
/// row if there are any; may write over its first input.
struct RmsNormKernel {
  static constexpr std::string_view name = "RmsNormKernel";
  float epsilon = 1e-5F;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("epsilon", &RmsNormKernel::epsilon), attr("isa", &RmsNormKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<RmsNormKernel>);

}  // namespace strata
