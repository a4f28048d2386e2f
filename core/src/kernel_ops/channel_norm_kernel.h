#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// LayerNorm of f32 from an axis on, whose rows have a scale and a bias each: those of the channel, which
/// is the axis before. May write over its first input.
struct ChannelNormKernel {
  static constexpr std::string_view name = "ChannelNormKernel";
  std::int64_t axis = -1;  ///< the first of a row; negative counts from the end
  float epsilon = 1e-5F;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &ChannelNormKernel::axis),
                      attr("epsilon", &ChannelNormKernel::epsilon),
                      attr("isa", &ChannelNormKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<ChannelNormKernel>);

}  // namespace strata
