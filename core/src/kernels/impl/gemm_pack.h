#pragma once

#include "kernels/impl/gemm_micro.h"

/// Packed operands. A panel holds `width` lanes (rows of A or columns of B) of all of k:
/// panel[k * width + lane]; the lanes past the end of the matrix are zero.
namespace strata::kernels {
namespace {

inline Index min_of(Index a, Index b) { return a < b ? a : b; }
inline Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }
inline Index round_up(Index a, Index b) { return ceil_div(a, b) * b; }

/// Rows of one panel of A: as even a split of m as whole panels allow.
inline Index panel_rows(Index m) { return ceil_div(m, ceil_div(m, kMaxTileRows)); }

typedef float Vf4 __attribute__((vector_size(16)));
typedef float UnalignedVf4 __attribute__((vector_size(16), aligned(4), may_alias));

inline Vf4 load4(const float* p) { return *reinterpret_cast<const UnalignedVf4*>(p); }
inline void store4(float* p, Vf4 v) { *reinterpret_cast<UnalignedVf4*>(p) = v; }

/// Writes the transpose of the 4 x 4 block with rows `stride` apart to `out` with rows `out_stride`
/// apart.
inline void transpose4(const float* p, Index stride, float* out, Index out_stride) {
  const Vf4 r0 = load4(p);
  const Vf4 r1 = load4(p + stride);
  const Vf4 r2 = load4(p + 2 * stride);
  const Vf4 r3 = load4(p + 3 * stride);
  const Vf4 a = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
  const Vf4 b = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
  const Vf4 c = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  const Vf4 d = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  store4(out, __builtin_shufflevector(a, b, 0, 1, 4, 5));
  store4(out + out_stride, __builtin_shufflevector(a, b, 2, 3, 6, 7));
  store4(out + 2 * out_stride, __builtin_shufflevector(c, d, 0, 1, 4, 5));
  store4(out + 3 * out_stride, __builtin_shufflevector(c, d, 2, 3, 6, 7));
}

/// A block of lanes to pack: lane i, step j is `data[i * lane_stride + j * k_stride]`.
struct LaneBlock {
  const float* data;
  Index lane_stride;
  Index k_stride;
  Index lanes;
  Index k;
};

/// Packs lanes that are each contiguous in k, by 4 x 4 blocks.
inline void pack_transposed(const LaneBlock& s, Index width, float* out) {
  const Index lanes4 = s.lanes & ~Index{3};
  const Index k4 = s.k & ~Index{3};
  for (Index j = 0; j < k4; j += 4) {
    for (Index i = 0; i < lanes4; i += 4) {
      transpose4(s.data + i * s.lane_stride + j, s.lane_stride, out + j * width + i, width);
    }
    for (Index i = lanes4; i < s.lanes; ++i) {
      const float* p = s.data + i * s.lane_stride + j;
      for (Index t = 0; t < 4; ++t) out[(j + t) * width + i] = p[t];
    }
  }
  for (Index j = k4; j < s.k; ++j) {
    for (Index i = 0; i < s.lanes; ++i) out[j * width + i] = s.data[i * s.lane_stride + j];
  }
}

/// Packs lanes that lie side by side.
inline void pack_rows(const LaneBlock& s, Index width, float* out) {
  const Index whole = s.lanes - s.lanes % kLanes;
  for (Index j = 0; j < s.k; ++j, out += width) {
    const float* p = s.data + j * s.k_stride;
    for (Index i = 0; i < whole; i += kLanes) store(out + i, load(p + i));
    for (Index i = whole; i < s.lanes; ++i) out[i] = p[i];
  }
}

/// Packs one panel of s.lanes <= width lanes, s.k steps deep.
inline void pack_panel(const LaneBlock& s, Index width, float* out) {
  for (Index i = s.lanes; i < width; ++i) {
    for (Index j = 0; j < s.k; ++j) out[j * width + i] = 0;
  }
  if (s.lane_stride == 1) return pack_rows(s, width, out);
  if (s.k_stride == 1) return pack_transposed(s, width, out);
  for (Index j = 0; j < s.k; ++j) {
    for (Index i = 0; i < s.lanes; ++i) {
      out[j * width + i] = s.data[i * s.lane_stride + j * s.k_stride];
    }
  }
}

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
