#pragma once

#include "kernels/types.h"

namespace strata {
enum class Isa;
}

namespace strata::kernels {

/// The f32 kernels of one instruction set.
///
/// No kernel allocates, throws, or keeps state, so any number of threads may run one at once.
/// Scratch is the caller's, one block per thread, aligned to 64 bytes; a `*_scratch` function tells
/// the bytes that any part of one call needs, which may be more for smaller sizes, and are defined
/// for empty ones. Pointers to data need the alignment of float only.
struct KernelTable {
  Index lanes;  ///< floats of a vector

  // Matrix product. Packed operands may be prepared once and used for any number of products.

  /// Floats that a packed A of m x k takes.
  Index (*packed_a_size)(Index m, Index k) noexcept;
  /// Floats that a packed B of k x n takes.
  Index (*packed_b_size)(Index k, Index n) noexcept;
  void (*pack_a)(const MatrixView& a, Index m, Index k, float* packed) noexcept;
  void (*pack_b)(const MatrixView& b, Index k, Index n, float* packed) noexcept;
  GemmPlan (*gemm_plan)(const Gemm& gemm) noexcept;
  /// Bytes of scratch for `gemm` over any part of this product.
  std::size_t (*gemm_scratch)(const Gemm& gemm) noexcept;
  /// A split of the rows of C among threads must begin each part at a multiple of this.
  Index (*gemm_row_step)(Index m) noexcept;
  /// A split of the columns of C among threads must begin each part at a multiple of this.
  Index (*gemm_column_step)() noexcept;
  /// Computes the given rows and columns of C; m = 1 and n = 1 take matrix-vector paths.
  void (*gemm)(const Gemm& gemm, Range rows, Range columns, void* scratch) noexcept;

  /// Bytes of scratch for `gemm_doubles`.
  std::size_t (*gemm_doubles_scratch)() noexcept;
  /// Computes the given rows and columns of C.
  void (*gemm_doubles)(const GemmDoubles& gemm, Range rows, Range columns, void* scratch) noexcept;

  // Convolution, 1 to 3 spatial axes, any groups.

  /// Floats that the packed weights take.
  Index (*conv_weights_size)(const ConvShape& shape) noexcept;
  /// Packs weights laid out [groups * out_channels, in_channels, kernel...].
  void (*pack_conv_weights)(const ConvShape& shape, const float* weights, float* packed) noexcept;
  ConvWay (*conv_way)(const ConvShape& shape) noexcept;
  std::size_t (*conv_scratch)(const ConvShape& shape) noexcept;
  /// The number of independent parts that `conv` can be split into.
  Index (*conv_tasks)(const ConvShape& shape) noexcept;
  void (*conv)(const Conv& conv, Range tasks, void* scratch) noexcept;

  // The transpose of a convolution.

  /// Floats that the packed weights take.
  Index (*deconv_weights_size)(const ConvShape& shape) noexcept;
  /// Packs weights laid out [groups * out_channels, in_channels, kernel...].
  void (*pack_deconv_weights)(const ConvShape& shape, const float* weights, float* packed) noexcept;
  std::size_t (*deconv_scratch)(const ConvShape& shape) noexcept;
  /// The number of independent parts that `deconv` can be split into.
  Index (*deconv_tasks)(const ConvShape& shape) noexcept;
  void (*deconv)(const Deconv& deconv, Range tasks, void* scratch) noexcept;

  // Convolution between blocked images.

  /// Floats that the packed weights take.
  Index (*blocked_weights_size)(const BlockedShape& shape) noexcept;
  /// Packs weights laid out [groups * out_channels, in_channels, kernel...].
  void (*pack_blocked_weights)(const BlockedShape& shape, const float* weights,
                               float* packed) noexcept;
  std::size_t (*blocked_scratch)(const BlockedShape& shape) noexcept;
  /// The number of independent parts that `blocked_conv` can be split into.
  Index (*blocked_tasks)(const BlockedShape& shape) noexcept;
  void (*blocked_conv)(const BlockedConv& conv, Range tasks, void* scratch) noexcept;
  /// Like `pool`, but planes are blocks, and their rows of outputs are what may be split.
  void (*blocked_pool)(const Pool& pool, Range rows) noexcept;
  void (*pick_blocks)(const BlockPicks& call) noexcept;

  // The rest. x and y may be the same memory, but must not overlap otherwise.

  void (*pool)(const Pool& pool, Range planes) noexcept;
  void (*unary)(const UnaryFunction& function, const float* x, float* y, Index n) noexcept;
  void (*binary)(const BinaryCall& call) noexcept;
  void (*multiply_add)(const MultiplyAdd& call) noexcept;
  WideComparisons compare_i64;
  WideComparisons compare_f64;
  void (*select)(const SelectCall& call) noexcept;
  /// y[i] = table[x[i]], where the table has 256 bytes.
  void (*look_up)(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y,
                  Index n) noexcept;
  /// Over each row. NaN, and infinities that exceed all others, make their row NaN.
  void (*softmax)(SoftmaxForm form, const float* x, float* y, Index rows, Index columns) noexcept;
  /// Over each column; y has the row stride of x.
  void (*softmax_columns)(SoftmaxForm form, const MatrixView& x, float* y, Index rows,
                          Index columns) noexcept;
  /// One value per row; max and min propagate NaN and are infinite over nothing.
  void (*reduce)(Reduction kind, const float* x, float* y, Index rows, Index columns) noexcept;
  /// One value per column.
  void (*reduce_columns)(Reduction kind, const MatrixView& x, float* y, Index rows,
                         Index columns) noexcept;
  /// Row o * inner + i is x[o][..][i].
  void (*arg_reduce)(const ArgReduce& call, Range rows) noexcept;
  /// Whether the function that does this work turns this many rows of this many numbers, which then
  /// lie across vectors.
  bool (*turns_rows)(RowWork work, Index rows, Index columns) noexcept;
  void (*cumulate)(const Cumulate& call) noexcept;
  std::size_t (*top_k_scratch)(Index length) noexcept;
  /// Rows as in `arg_reduce`.
  void (*top_k)(const TopK& call, Range rows, void* scratch) noexcept;
  void (*layer_norm)(const LayerNorm& call) noexcept;

  // Conversions. y must not overlap x.

  void (*widen_floats)(NarrowFloat from, const std::uint16_t* x, float* y, Index n) noexcept;
  /// Rounds to nearest, halves to even.
  void (*narrow_floats)(NarrowFloat to, const float* x, std::uint16_t* y, Index n) noexcept;
  /// To 8 bits, i32 or i64, toward 0; numbers beyond the type become its nearer end, NaN becomes 0.
  void (*truncate_floats)(IntegerType to, const float* x, void* y, Index n) noexcept;
  /// saturate(round(x / scale) + zero), halves to even; NaN becomes the least.
  void (*quantize)(const Quantization& call, const float* x, void* y) noexcept;
  /// Adds whole groups of four vectors and returns how many bytes those are. Sums as floats must be
  /// off by less than 1e-4 where they do not saturate.
  Index (*add_bytes)(const ByteSum& call, Range part) noexcept;
  /// (x - zero) * scale.
  void (*dequantize)(const Quantization& call, const void* x, float* y) noexcept;

  // Images in planes. y must not overlap x.

  void (*lrn)(const Lrn& call, Range pixels) noexcept;
  std::size_t (*resize_scratch)(const Resize& resize) noexcept;
  /// Rows count through all outer places, one after the other.
  void (*resize)(const Resize& resize, Range rows, void* scratch) noexcept;

  /// Whether queries are multiplied, one after the other, with the keys where these lie.
  bool (*attends_one_by_one)(const Attention& call) noexcept;
  /// Bytes of scratch for `attention` over any part of the queries.
  std::size_t (*attention_scratch)(const Attention& call) noexcept;
  void (*attention)(const Attention& call, Range queries, void* scratch) noexcept;

  // Cells of recurrent layers. Outputs must not overlap inputs.

  void (*lstm_cell)(const LstmCell& cell) noexcept;
  void (*gru_cell)(const GruCell& cell) noexcept;
  /// next_h = r . h, of which the candidate's product is made for before_product.
  void (*gru_reset)(const GruCell& cell) noexcept;

  // The most the machine can do.

  /// Multiply-adds that do not wait for each other; says how many it has done. `result` holds a
  /// number to begin with.
  double (*peak_multiply_adds)(Index steps, float* result) noexcept;
  /// Reads about n floats; returns something that depends on all of them.
  float (*peak_read)(const float* x, Index n) noexcept;
};

/// The kernels compiled for `isa`, or for the widest set below it that this build has.
const KernelTable& kernels(Isa isa) noexcept;

}  // namespace strata::kernels
