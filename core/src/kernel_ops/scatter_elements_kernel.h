#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/scatter_elements.h"

namespace strata {

/// ScatterElements of elements of a fixed width; may write over data.
struct ScatterElementsKernel {
  static constexpr std::string_view name = "ScatterElementsKernel";
  std::int64_t axis = 0;  ///< negative counts from the end
  ScatterReduction reduction = ScatterReduction::none;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &ScatterElementsKernel::axis),
                      attr("reduction", &ScatterElementsKernel::reduction)};
  }
  FactList output_facts(Facts in) const {
    return ScatterElements{axis, reduction}.output_facts(in);
  }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<ScatterElementsKernel>);

}  // namespace strata
