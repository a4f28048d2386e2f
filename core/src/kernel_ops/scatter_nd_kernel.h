#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/scatter_nd.h"

namespace strata {

/// ScatterNd of elements of a fixed width; may write over data.
struct ScatterNdKernel {
  static constexpr std::string_view name = "ScatterNdKernel";
  ScatterReduction reduction = ScatterReduction::none;

  static constexpr auto attributes() {
    return std::tuple{attr("reduction", &ScatterNdKernel::reduction)};
  }
  FactList output_facts(Facts in) const { return ScatterNd{reduction}.output_facts(in); }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<ScatterNdKernel>);

}  // namespace strata
