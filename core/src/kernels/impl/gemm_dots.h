#pragma once

#include "kernels/impl/gemm_driver.h"
#include "kernels/impl/simd_folds.h"

/// Products of few columns, which would leave most lanes of a tile's vectors empty: vectors lie
/// along k instead, and a sum is the dot product of a row of A, where it lies, and a column of B,
/// copied to lie in one piece.
namespace strata::kernels {
namespace {

/// Columns and rows computed at once: as many sums as a vector has lanes.
constexpr int kDotColumns = 2, kDotRows = kLanes / kDotColumns;
constexpr Index kMostDotColumns = kLanes / 2;  ///< of a product
/// Of a product, so that the folds of lanes pay: with few registers there are many of them.
constexpr Index kLeastDotDepth = kLanes == 16 ? 32 : 128;

/// Whether a product goes by dot products: not with so few rows that copying columns takes most of
/// the time. The baseline is built for size.
inline bool is_of_dots(const Gemm& g) {
  return !kForSize && g.n <= kMostDotColumns && g.m >= 8 * max_of(g.n, 1) && g.m >= kDotRows &&
         g.k >= kLeastDotDepth && !g.packed_a && g.a.column_stride == 1 && g.narrow.bits == 0;
}

/// Floats in a copied column: whole vectors.
inline Index dot_depth(Index k) { return round_up(k, kLanes); }

/// Copies the columns of B, padded with zeros.
[[gnu::cold]] inline void copy_columns(const Gemm& g, float* out) {
  const MatrixView b = g.packed_b ? MatrixView{g.packed_b, kTileColumns, 1} : g.b;
  for (Index j = 0; j < g.n; ++j, out += dot_depth(g.k)) {
    for (Index i = 0; i < g.k; ++i) out[i] = b.data[i * b.row_stride + j * b.column_stride];
    for (Index i = g.k; i < dot_depth(g.k); ++i) out[i] = 0;
  }
}

/// sum[r * kDotColumns + c] += rows[r] * columns[c], from `at` on; `read` gets a vector of a row.
template <class Read>
inline void add_dots(const float* const (&rows)[kDotRows],
                     const float* const (&columns)[kDotColumns], Index at, Vf (&sum)[kLanes],
                     Read read) {
  Vf column[kDotColumns];
#pragma GCC unroll 2
  for (int c = 0; c < kDotColumns; ++c) column[c] = load(columns[c] + at);
#pragma GCC unroll 8
  for (int r = 0; r < kDotRows; ++r) {
    const Vf x = read(rows[r] + at);
#pragma GCC unroll 2
    for (int c = 0; c < kDotColumns; ++c) add_product(sum[r * kDotColumns + c], x, column[c]);
  }
}

/// The sums of kDotRows rows and kDotColumns columns; rows of `sums` lie kTileColumns apart.
[[gnu::noinline]] inline void dot_products(const float* const (&rows)[kDotRows],
                                           const float* const (&columns)[kDotColumns], Index k,
                                           float* sums) {
  Vf sum[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= k; i += kLanes) add_dots(rows, columns, i, sum, load);
  if (i < k) add_dots(rows, columns, i, sum, [&](const float* p) { return load_first(p, k - i); });
  alignas(64) float folded[kLanes];
  store(folded, sums_of_lanes(sum));
  for (int lane = 0; lane < kLanes; ++lane) {
    const int place = place_of_sum(lane);
    sums[place / kDotColumns * kTileColumns + place % kDotColumns] = folded[lane];
  }
}

/// `scratch` holds the copied columns. The last row or column also stands in for those past it.
/// Compiled for size: what takes time is `dot_products`.
[[gnu::noinline, gnu::cold]] inline void multiply_by_dots(const Product& p, const Gemm& g,
                                                          float* scratch) {
  copy_columns(g, scratch);
  const Depth whole{.begin = 0, .size = g.k, .first = true, .last = true};
  alignas(64) float sums[kDotRows * kTileColumns];
  for (Index i = p.rows.begin; i < p.rows.end; i += kDotRows) {
    const Index height = min_of(kDotRows, p.rows.end - i);
    const float* rows[kDotRows];
    for (Index r = 0; r < kDotRows; ++r)
      rows[r] = p.a.data + (i + min_of(r, height - 1)) * p.a.row_stride;
    for (Index j = p.columns.begin; j < p.columns.end; j += kDotColumns) {
      const float* const first = scratch + j * dot_depth(g.k);
      const float* const columns[] = {first,
                                      j + 1 < p.columns.end ? first + dot_depth(g.k) : first};
      dot_products(rows, columns, g.k, sums + j - p.columns.begin);
    }
    const TileFinish finish = finish_for(p, whole, i, p.columns.begin);
    finish_edge(finish, sums, height, p.columns.end - p.columns.begin);
    activate(p.epilogue.activation, finish.c, p.c_stride, height, p.columns.end - p.columns.begin);
  }
}

}  // namespace
}  // namespace strata::kernels
