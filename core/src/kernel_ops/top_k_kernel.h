#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/top_k.h"

namespace strata {

/// TopK of every type of numbers.
struct TopKKernel {
  static constexpr std::string_view name = "TopKKernel";
  std::int64_t axis = -1;  ///< negative counts from the end
  TopKOrder order = TopKOrder::greatest;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &TopKKernel::axis), attr("order", &TopKKernel::order),
                      attr("isa", &TopKKernel::isa)};
  }
  FactList output_facts(Facts in) const { return TopK{axis, order}.output_facts(in); }
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<TopKKernel>);

}  // namespace strata
