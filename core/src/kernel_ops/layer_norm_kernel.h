#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// LayerNorm of f32; scale and bias have one number for each element of a row. May write over its
/// first input.
struct LayerNormKernel {
  static constexpr std::string_view name = "LayerNormKernel";
  std::int64_t axis = -1;  ///< negative counts from the end
  float epsilon = 1e-5F;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &LayerNormKernel::axis),
                      attr("epsilon", &LayerNormKernel::epsilon),
                      attr("isa", &LayerNormKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<LayerNormKernel>);

}  // namespace strata
