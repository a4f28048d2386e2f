#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/tensor_scatter.h"

namespace strata {

/// TensorScatter of elements of a fixed width; may write over the cache.
struct TensorScatterKernel {
  static constexpr std::string_view name = "TensorScatterKernel";
  std::int64_t axis = -2;
  ScatterWrap wrap = ScatterWrap::linear;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &TensorScatterKernel::axis),
                      attr("wrap", &TensorScatterKernel::wrap)};
  }
  FactList output_facts(Facts in) const { return TensorScatter{axis, wrap}.output_facts(in); }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<TensorScatterKernel>);

}  // namespace strata
