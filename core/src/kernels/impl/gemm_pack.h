#pragma once

#include "kernels/impl/gemm_micro.h"
#include "kernels/impl/pack_panel.h"

/// Packed operands: panels of rows of A or columns of B, each over all of k; lanes past the end of
/// the matrix are zero.
namespace strata::kernels {
namespace {

/// The slack lets whole vectors be loaded from the last step of the last panel.
Index packed_a_size(Index m, Index k) noexcept {
  if (m == 0) return 0;
  return round_up(m, panel_rows(m)) * k + kLanes;
}

Index packed_b_size(Index k, Index n) noexcept { return round_up(n, kTileColumns) * k; }

void pack_a(const MatrixView& a, Index m, Index k, float* packed) noexcept {
  const Index width = m == 0 ? 1 : panel_rows(m);
  for (Index i = 0; i < m; i += width, packed += width * k) {
    const float* data = a.data + i * a.row_stride;
    pack_panel({data, a.row_stride, a.column_stride, min_of(width, m - i), k}, width, packed);
  }
  if (m == 0) return;
  for (int i = 0; i < kLanes; ++i) packed[i] = 0;
}

void pack_b(const MatrixView& b, Index k, Index n, float* packed) noexcept {
  for (Index j = 0; j < n; j += kTileColumns, packed += kTileColumns * k) {
    const float* data = b.data + j * b.column_stride;
    pack_panel({data, b.column_stride, b.row_stride, min_of(kTileColumns, n - j), k}, kTileColumns,
               packed);
  }
}

}  // namespace
}  // namespace strata::kernels
