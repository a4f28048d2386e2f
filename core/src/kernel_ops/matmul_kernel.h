#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/matmul.h"

namespace strata {

/// activation(A B + bias) on f32, batch by batch.
///
///   inputs   a; b, or b packed for `isa` when `packed_k` is not 0; bias f32[n] (may be missing)
///
/// With a packed b, which has no batch axes, all rows of a are multiplied at once.
struct MatMulKernel {
  static constexpr std::string_view name = "MatMulKernel";
  MatMul op;
  std::int64_t packed_k = 0;
  std::int64_t packed_n = 0;
  KernelFunction activation;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &MatMulKernel::op), attr("packed_k", &MatMulKernel::packed_k),
                      attr("packed_n", &MatMulKernel::packed_n),
                      attr("activation", &MatMulKernel::activation),
                      attr("isa", &MatMulKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const noexcept;
  Cost cost(Facts in, Facts out) const;

  /// The second operand as the portable op has it.
  Fact right_operand(const Fact& given) const;
};

AttrValue to_attr(const MatMul& op);
void from_attr(const AttrValue& value, MatMul& op);
static_assert(OpDef<MatMulKernel>);

}  // namespace strata
