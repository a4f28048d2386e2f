#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Lrn of f32. Squares are summed in f32: a number beyond 1.8e19 turns its neighbours to zeros.
struct LrnKernel {
  static constexpr std::string_view name = "LrnKernel";
  float alpha = 1e-4F;
  float beta = 0.75F;
  float bias = 1;
  std::int64_t size = 1;  ///< channels summed over
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("alpha", &LrnKernel::alpha), attr("beta", &LrnKernel::beta),
                      attr("bias", &LrnKernel::bias), attr("size", &LrnKernel::size),
                      attr("isa", &LrnKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<LrnKernel>);

}  // namespace strata
