#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/matmul.h"

namespace strata {

/// activation(A B + bias + residual) on f32, batch by batch.
///
///   inputs   a; b, or b packed for `isa` when `packed_k` is not 0, as `weights`: floats, narrow
///            ones, or integers (u2, u4, u8) with scales and zero points in blocks of
///            `weight_block` along k; bias f32[n] (may be missing); with `residual`, last, one
///            value per element of the output
///
/// With a packed b, which has no batch axes, all rows of a are multiplied at once. An operand may
/// be read as Transpose would lay it out, without running one.
struct MatMulKernel {
  static constexpr std::string_view name = "MatMulKernel";
  MatMul op;
  std::int64_t packed_k = 0;
  std::int64_t packed_n = 0;
  DatumType weights = DatumType::f32;
  std::int64_t weight_block = 0;
  bool residual = false;
  KernelFunction activation;
  std::vector<std::int64_t> perm_a;  ///< axes of a as the product sees them; empty: as they lie
  std::vector<std::int64_t> perm_b;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &MatMulKernel::op),
                      attr("packed_k", &MatMulKernel::packed_k),
                      attr("packed_n", &MatMulKernel::packed_n),
                      attr("weights", &MatMulKernel::weights),
                      attr("weight_block", &MatMulKernel::weight_block),
                      attr("residual", &MatMulKernel::residual),
                      attr("activation", &MatMulKernel::activation),
                      attr("perm_a", &MatMulKernel::perm_a),
                      attr("perm_b", &MatMulKernel::perm_b),
                      attr("isa", &MatMulKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;

  /// The operands as the portable op sees them.
  Fact left_operand(const Fact& given) const;
  Fact right_operand(const Fact& given) const;
  /// Whether b is packed in a NarrowForm, of integers or of narrow floats.
  bool has_narrow_weights() const { return weights != DatumType::f32; }
  /// Whether there is a bias among this many inputs.
  bool has_bias(std::size_t inputs) const { return inputs > (residual ? 3u : 2u); }
};

/// The right operand of `op`, of rank 2, packed for `isa`.
Tensor pack_right(const MatMul& op, const Tensor& b, Isa isa);

AttrValue to_attr(const MatMul& op);
void from_attr(const AttrValue& value, MatMul& op);
static_assert(OpDef<MatMulKernel>);

}  // namespace strata
