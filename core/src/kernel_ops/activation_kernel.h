#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/activation.h"

namespace strata {

/// Activation on any type of floats, one element after the other.
struct ActivationKernel {
  static constexpr std::string_view name = "ActivationKernel";
  ActivationKind op = ActivationKind::elu;
  float alpha = 1;
  float beta = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &ActivationKernel::op), attr("alpha", &ActivationKernel::alpha),
                      attr("beta", &ActivationKernel::beta)};
  }
  FactList output_facts(Facts in) const { return Activation{op, alpha, beta}.output_facts(in); }
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<ActivationKernel>);

}  // namespace strata
