#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/unary.h"

namespace strata {

/// Unary on any type of numbers or bool, one element after the other.
struct NumericUnaryKernel {
  static constexpr std::string_view name = "NumericUnaryKernel";
  UnaryOp op = UnaryOp::abs;

  static constexpr auto attributes() { return std::tuple{attr("op", &NumericUnaryKernel::op)}; }
  FactList output_facts(Facts in) const { return Unary{op}.output_facts(in); }
  void run(const KernelIo& io) const;
};
static_assert(OpDef<NumericUnaryKernel>);

}  // namespace strata
