#pragma once

#include "kernel_ops/integer_operands.h"
#include "strata/core/ops/matmul.h"

namespace strata {

/// The i32 product of bytes less their zero points, then converted.
///
///   inputs   a  u8 or i8[.., m, k]
///            b  u8 or i8[.., k, n], or i32 words packed for `isa` when `packed_k` is not 0
///            zero point of a, i32 (with `zero_a`): one number, or [m, 1] for an a of rank 2
///            zero point of b, i32 (with `zero_b`, b not packed): one number, or [n] for a b of
///            rank 2
///            the operands of the conversion
///
/// A packed b, or one of rank 2, is multiplied with all rows of a at once.
struct IntegerMatMulKernel {
  static constexpr std::string_view name = "IntegerMatMulKernel";
  std::int64_t packed_k = 0;
  std::int64_t packed_n = 0;
  bool zero_a = false;
  bool zero_b = false;
  bool one_zero_b = false;  ///< whether the zero point of a packed b is the same for all columns
  bool quads = false;       ///< whether b is packed for `Int8Kernels::quads`
  SumConversion conversion;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("packed_k", &IntegerMatMulKernel::packed_k),
                      attr("packed_n", &IntegerMatMulKernel::packed_n),
                      attr("zero_a", &IntegerMatMulKernel::zero_a),
                      attr("zero_b", &IntegerMatMulKernel::zero_b),
                      attr("one_zero_b", &IntegerMatMulKernel::one_zero_b),
                      attr("quads", &IntegerMatMulKernel::quads),
                      attr("conversion", &IntegerMatMulKernel::conversion),
                      attr("isa", &IntegerMatMulKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;

  /// Inputs before the operands of the conversion.
  std::size_t own_inputs() const { return 2 + (zero_a ? 1u : 0u) + (zero_b ? 1u : 0u); }
  /// The axes of an output along which operands of the conversion may stretch.
  static bool may_stretch(const ShapeFact& out, std::size_t axis) {
    return axis + 1 == out.rank() || (out.rank() == 2 && axis == 0);
  }
};
static_assert(OpDef<IntegerMatMulKernel>);

/// A kernel with the inputs it needs before the operands of a conversion.
struct IntegerMatMulCall {
  IntegerMatMulKernel kernel;
  OutletIds inputs;
};
/// The product with a constant of rank 2, as `op` has it, a row of weights for each column. Nothing
/// where the operands are not suitable.
std::optional<IntegerMatMulCall> integer_product(Patch& patch, const MatMul& op,
                                                 const CentredBytes& a, const ByteWeights& b,
                                                 Isa isa);
/// The product of two operands of bytes.
std::optional<IntegerMatMulCall> integer_product(const Patch& patch, const MatMul& op,
                                                 const CentredBytes& a, const CentredBytes& b,
                                                 Isa isa);

}  // namespace strata
