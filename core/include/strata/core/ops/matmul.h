#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Multiplies matrices, batch by batch.
///
///   inputs   a  T[.., m, k] ([.., k, m] when transposed), b  T[.., k, n] ([.., n, k] when
///               transposed)
///   output   T[.., m, n]; the leading axes broadcast
///   source   ONNX MatMul-13; numpy matmul
///
/// An operand of rank 1 is a row on the left and a column on the right, and its axis of size 1 is
/// gone from the output. Integers wrap; floats below 32 bits are summed in f32.
///
///   (C1) two inputs                           (C2) one numeric element type
///   (C3) ranks of at least 1                  (C4) equal inner dims
///   (C5) leading axes that broadcast
struct MatMul {
  static constexpr std::string_view name = "MatMul";
  bool transpose_a = false;  ///< swaps the last two axes; ignored at rank 1
  bool transpose_b = false;
  /// Whether a kernel may round the rows of a to bytes, in blocks with a scale each: what ONNX
  /// Runtime's MatMulNBits calls an accuracy_level of 4. eval never does.
  bool may_round_a = false;

  static constexpr auto attributes() {
    return std::tuple{attr("transpose_a", &MatMul::transpose_a),
                      attr("transpose_b", &MatMul::transpose_b),
                      attr("may_round_a", &MatMul::may_round_a)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Cost cost(Facts in, Facts out) const;
};
static_assert(OpDef<MatMul>);

/// The sizes of a MatMul; the batch is that of the output.
struct MatMulGeometry {
  Shape batch;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
};

/// Throws: run_time when the shapes do not agree.
MatMulGeometry matmul_geometry(const MatMul& op, const Shape& a, const Shape& b);

}  // namespace strata
