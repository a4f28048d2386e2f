#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/cumulate.h"

namespace strata {

/// Cumulate of every type of numbers.
struct CumulateKernel {
  static constexpr std::string_view name = "CumulateKernel";
  Cumulation op = Cumulation::sum;
  bool exclusive = false;
  bool reverse = false;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &CumulateKernel::op),
                      attr("exclusive", &CumulateKernel::exclusive),
                      attr("reverse", &CumulateKernel::reverse), attr("isa", &CumulateKernel::isa)};
  }
  FactList output_facts(Facts in) const {
    return Cumulate{op, exclusive, reverse}.output_facts(in);
  }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<CumulateKernel>);

}  // namespace strata
