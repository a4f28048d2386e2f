#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/binary.h"

namespace strata {

/// Binary on any type of numbers or bool; may write over its first input where the types agree.
struct NumericBinaryKernel {
  static constexpr std::string_view name = "NumericBinaryKernel";
  BinaryOp op = BinaryOp::add;
  Isa isa = Isa::baseline;  ///< for comparisons of 64-bit numbers

  static constexpr auto attributes() {
    return std::tuple{attr("op", &NumericBinaryKernel::op), attr("isa", &NumericBinaryKernel::isa)};
  }
  FactList output_facts(Facts in) const { return Binary{op}.output_facts(in); }
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const;
};
static_assert(OpDef<NumericBinaryKernel>);

}  // namespace strata
