#pragma once

#include "kernels/types.h"

namespace strata {
enum class Isa;
}

namespace strata::kernels {

/// The f32 kernels of one instruction set.
///
/// No kernel allocates, throws, or keeps state, so any number of threads may run one at once.
/// Scratch is the caller's, one block a thread, aligned to 64 bytes. Pointers to data need the
/// alignment of float only.
struct KernelTable {
  // Matrix product. Packed operands may be prepared once and used for any number of products.

  /// Floats that a packed A of m x k takes.
  Index (*packed_a_size)(Index m, Index k) noexcept;
  /// Floats that a packed B of k x n takes.
  Index (*packed_b_size)(Index k, Index n) noexcept;
  void (*pack_a)(const MatrixView& a, Index m, Index k, float* packed) noexcept;
  void (*pack_b)(const MatrixView& b, Index k, Index n, float* packed) noexcept;
  /// Bytes of scratch for `gemm` over any part of this product.
  std::size_t (*gemm_scratch)(const Gemm& gemm) noexcept;
  /// A split of the rows of C among threads must begin each part at a multiple of this.
  Index (*gemm_row_step)(Index m) noexcept;
  /// A split of the columns of C among threads must begin each part at a multiple of this.
  Index (*gemm_column_step)() noexcept;
  /// Computes the given rows and columns of C; m = 1 and n = 1 take matrix-vector paths.
  void (*gemm)(const Gemm& gemm, Range rows, Range columns, void* scratch) noexcept;

  // Convolution, 1 to 3 spatial axes, any groups.

  /// Floats that the packed weights take.
  Index (*conv_weights_size)(const ConvShape& shape) noexcept;
  /// Packs weights laid out [groups * out_channels, in_channels, kernel...].
  void (*pack_conv_weights)(const ConvShape& shape, const float* weights, float* packed) noexcept;
  std::size_t (*conv_scratch)(const ConvShape& shape) noexcept;
  /// The number of independent parts that `conv` can be split into.
  Index (*conv_tasks)(const ConvShape& shape) noexcept;
  void (*conv)(const Conv& conv, Range tasks, void* scratch) noexcept;

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
  /// As `pool`; planes are blocks.
  void (*blocked_pool)(const Pool& pool, Range planes) noexcept;

  // The rest. x and y may be the same memory, but must not overlap otherwise.

  void (*pool)(const Pool& pool, Range planes) noexcept;
  void (*unary)(const UnaryFunction& function, const float* x, float* y, Index n) noexcept;
  void (*binary)(const BinaryCall& call) noexcept;
  /// y = exp(x - max) / sum over each row.
  void (*softmax)(const float* x, float* y, Index rows, Index columns) noexcept;
  /// One value a row; max propagates NaN and is -inf over nothing.
  void (*reduce)(Reduction kind, const float* x, float* y, Index rows, Index columns) noexcept;
  void (*layer_norm)(const LayerNorm& call) noexcept;

  // Cells of recurrent layers. Outputs must not overlap inputs.

  void (*lstm_cell)(const LstmCell& cell) noexcept;
  void (*gru_cell)(const GruCell& cell) noexcept;
  /// next_h = r . h, what the candidate's product is of before_product.
  void (*gru_reset)(const GruCell& cell) noexcept;
};

/// The kernels compiled for `isa`, or for the widest set below it that this build has.
const KernelTable& kernels(Isa isa) noexcept;

}  // namespace strata::kernels
