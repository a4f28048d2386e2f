#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/arg_reduce.h"

namespace strata {

/// ArgReduce of every type of numbers.
struct ArgReduceKernel {
  static constexpr std::string_view name = "ArgReduceKernel";
  Extreme op = Extreme::max;
  std::int64_t axis = 0;  ///< negative counts from the end
  bool keep_dims = true;
  Tie tie = Tie::first;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &ArgReduceKernel::op), attr("axis", &ArgReduceKernel::axis),
                      attr("keep_dims", &ArgReduceKernel::keep_dims),
                      attr("tie", &ArgReduceKernel::tie), attr("isa", &ArgReduceKernel::isa)};
  }
  FactList output_facts(Facts in) const {
    return ArgReduce{op, axis, keep_dims, tie}.output_facts(in);
  }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<ArgReduceKernel>);

}  // namespace strata
