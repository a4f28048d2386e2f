#pragma once

#include <vector>

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/matmul.h"

namespace strata {

/// An operand as a product of matrices sees it: the size and the step in elements of each axis.
struct MatrixOperand {
  std::size_t rank;
  kernels::Index size[kMaxKernelRank];
  kernels::Index step[kMaxKernelRank];

  kernels::Index rows() const noexcept { return size[rank - 2]; }
  kernels::Index columns() const noexcept { return size[rank - 1]; }
  /// The matrix, without data, and its transpose.
  kernels::MatrixView view() const noexcept { return {nullptr, step[rank - 2], step[rank - 1]}; }
  kernels::MatrixView turned_view() const noexcept {
    return {nullptr, step[rank - 1], step[rank - 2]};
  }
};

/// A dense tensor of this shape with its axes in the order of `perm`, as in Transpose; empty: as
/// they lie.
inline MatrixOperand operand_of(Span shape, const std::vector<std::int64_t>& perm) noexcept {
  kernels::Index steps[kMaxKernelRank];
  kernels::Index step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) steps[axis] = step;
  MatrixOperand out;  // left uninitialised but for its axes: there are many small products
  out.rank = shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = perm.empty() ? i : static_cast<std::size_t>(perm[i]);
    out.size[i] = shape[axis];
    out.step[i] = steps[axis];
  }
  return out;
}

/// A right operand of two axes: k x n numbers, and how far apart they lie along each.
struct RightMatrix {
  kernels::Index k, n;
  kernels::Index along_k, along_n;
};
inline RightMatrix right_matrix(const MatMul& op, Span shape) noexcept {
  const kernels::Index rows = shape[0], columns = shape[1];
  return op.transpose_b ? RightMatrix{columns, rows, 1, columns}
                        : RightMatrix{rows, columns, columns, 1};
}

/// Offset of the matrix that an operand contributes to element `index` of `batch`.
inline kernels::Index batch_offset(const MatrixOperand& operand, Span batch,
                                   kernels::Index index) noexcept {
  kernels::Index offset = 0;
  const std::size_t own = operand.rank - 2;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const kernels::Index size = batch[batch.size() - 1 - i];
    const bool is_outermost = i + 1 == batch.size();
    const kernels::Index at = is_outermost ? index : index % size;
    if (!is_outermost) index /= size;
    if (i < own && operand.size[own - 1 - i] != 1) offset += at * operand.step[own - 1 - i];
  }
  return offset;
}

/// Whether a fact is that of f32 matrices that kernels take.
inline bool is_matrices(const Fact& fact) {
  return is_f32(fact) && fact.shape.is_known() && fact.shape.rank() >= 2 &&
         fact.shape.rank() <= kMaxKernelRank;
}

}  // namespace strata
