#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/matmul.h"

namespace strata {

/// MatMul of f64.
struct DoubleMatMulKernel : MatMul {
  static constexpr std::string_view name = "DoubleMatMulKernel";
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple_cat(MatMul::attributes(), std::tuple{attr("isa", &DoubleMatMulKernel::isa)});
  }
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<DoubleMatMulKernel>);

}  // namespace strata
