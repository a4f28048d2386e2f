#pragma once

#include "kernels/impl/gemm_driver.h"
#include "kernels/impl/simd_folds.h"

/// Products of a vector and a matrix: sums[j] = sum over k of x[k] M(k, j). They read M once, in
/// order.
namespace strata::kernels {
namespace {

constexpr Index kVectorChunk = 1024;  ///< outputs whose sums are kept in the nearest cache
constexpr Index kNarrowVectors = 12;  ///< rows of fewer are read a few vectors at a time

struct Strided {
  const float* data;
  Index stride;
};

/// sums[j] += sum over R rows of x[r] rows[r * step + j].
template <int R>
inline void add_rows(const float* rows, Index step, Strided x, float* sums, Index n) {
  Vf scale[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) scale[r] = broadcast(x.data[r * x.stride]);
  Index j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    Vf sum = load(sums + j);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) sum = fma(scale[r], load(rows + r * step + j), sum);
    store(sums + j, sum);
  }
  if (j == n) return;
  Vf sum = load_first(sums + j, n - j);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) sum = fma(scale[r], load_first(rows + r * step + j, n - j), sum);
  store_first(sums + j, sum, n - j);
}

/// sums[j] = sum over k of x[k] matrix[k * step + j] for j in V vectors, which stay in registers.
template <int V>
inline void sum_columns(const float* matrix, Index step, Strided x, Index k, float* sums) {
  Vf sum[V] = {};
  for (Index i = 0; i < k; ++i, matrix += step) {
    const Vf scale = broadcast(x.data[i * x.stride]);
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sum[v] = fma(scale, load(matrix + v * kLanes), sum[v]);
  }
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) store(sums + v * kLanes, sum[v]);
}

/// `sum_columns` of as many groups of V vectors as n has from j on. Returns where they end.
template <int V>
inline Index sum_groups(const float* matrix, Index step, Strided x, Index k, float* sums, Index j,
                        Index n) {
  for (; j + V * kLanes <= n; j += V * kLanes) sum_columns<V>(matrix + j, step, x, k, sums + j);
  return j;
}

/// M(k, j) = matrix[k * step + j].
[[gnu::noinline]] inline void sum_rows(const float* matrix, Index step, Strided x, Index k,
                                       float* sums, Index n) {
  Index j = 0;
  if (n < kNarrowVectors * kLanes) {
    j = sum_groups<4>(matrix, step, x, k, sums, j, n);
    j = sum_groups<2>(matrix, step, x, k, sums, j, n);
    j = sum_groups<1>(matrix, step, x, k, sums, j, n);
    if (j == n) return;
  }
  for (Index i = j; i < n; ++i) sums[i] = 0;
  Index i = 0;
  for (; i + 8 <= k; i += 8) {
    add_rows<8>(matrix + i * step + j, step, {x.data + i * x.stride, x.stride}, sums + j, n - j);
  }
  for (; i < k; ++i) {
    add_rows<1>(matrix + i * step + j, step, {x.data + i * x.stride, x.stride}, sums + j, n - j);
  }
}

/// sums[place(r)] = the lanes of the dot product of x with row r, for R rows `step` apart.
template <int R, class Place>
inline void dot_lanes(const float* matrix, Index step, const float* x, Index k, Vf* sums,
                      Place place) {
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) sums[r] = Vf{};
  Index i = 0;
  for (; i + kLanes <= k; i += kLanes) {
    const Vf part = load(x + i);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      sums[place(r)] = fma(load(matrix + r * step + i), part, sums[place(r)]);
    }
  }
  if (i == k) return;
  const Vf last = load_first(x + i, k - i);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    sums[place(r)] = fma(load_first(matrix + r * step + i, k - i), last, sums[place(r)]);
  }
}

/// M(k, j) = matrix[j * step + k].
[[gnu::noinline]] inline void dot_all(const float* matrix, Index step, const float* x, Index k,
                                      float* sums, Index n) {
  for (Index j = 0; j + kLanes <= n;) {
    Vf lanes[kLanes];
    dot_lanes<kLanes>(matrix + j * step, step, x, k, lanes, place_of_sum);
    store(sums + j, sums_of_lanes(lanes));
    if (j + kLanes == n) return;
    j = min_of(j + kLanes, n - kLanes);  // the last group may overlap the one before
  }
  for (Index j = 0; j < n; ++j) {
    Vf lanes[1];
    dot_lanes<1>(matrix + j * step, step, x, k, lanes, [](int) { return 0; });
    sums[j] = sum_lanes(lanes[0]);
  }
}

/// M(k, j) = panel[k * width + j] for V vectors of j, some of which may belong to the next step.
/// `Width` is the width where it is known beforehand, else 0. The CPU fetches ahead what is read in
/// order.
template <int V, Index Width = 0>
[[gnu::noinline]] inline void sum_panel(const float* panel, Index width, Strided x, Index k,
                                        float* sums) {
  if (Width > 0) width = Width;
  Vf sum[4][V] = {};
  Index i = 0;
  for (; i + 4 <= k; i += 4, panel += 4 * width) {
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) {
      const Vf scale = broadcast(x.data[(i + t) * x.stride]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v)
        sum[t][v] = fma(scale, load(panel + t * width + v * kLanes), sum[t][v]);
    }
  }
  for (; i < k; ++i, panel += width) {
    const Vf scale = broadcast(x.data[i * x.stride]);
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) sum[0][v] = fma(scale, load(panel + v * kLanes), sum[0][v]);
  }
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    store(sums + v * kLanes, (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]));
  }
}

/// sums[j] += values[j * step].
inline void add_values(float* sums, const float* values, Index step, Index n) {
  if (step == 1) {
    for (Index j = 0; j < n; j += kLanes)
      store_upto(sums + j, load_upto(sums + j, n - j) + load_upto(values + j, n - j), n - j);
  } else {
    for (Index j = 0; j < n; ++j) sums[j] += values[j * step];
  }
}

/// c[j * step] = sums[j].
inline void store_sums(const float* sums, float* c, Index step, Index n) {
  if (step == 1) {
    for (Index j = 0; j < n; j += kLanes) store_upto(c + j, load_upto(sums + j, n - j), n - j);
  } else {
    for (Index j = 0; j < n; ++j) c[j * step] = sums[j];
  }
}

/// Applies the epilogue to n sums and stores them as C(row, column + j) or, going down, C(row + j,
/// column).
inline void emit(const Gemm& g, Index row, Index column, float* sums, Index n) {
  const Epilogue& e = g.epilogue;
  const bool down = g.n == 1;
  const float* residual = e.residual ? e.residual + row * e.residual_stride + column : nullptr;
  if (residual) add_values(sums, residual, down ? e.residual_stride : 1, n);
  if (e.bias_kind != BiasKind::none) {
    const bool per_row = e.bias_kind == BiasKind::per_row;
    const float* bias = e.bias + (per_row ? row : column);
    add_values(sums, bias, per_row == down ? 1 : 0, n);
  }
  if (e.activation.op != Unary::identity) unary(e.activation, sums, sums, n);
  store_sums(sums, g.c + row * g.c_stride + column, down ? g.c_stride : 1, n);
}

inline Strided left_row(const Gemm& g) {
  return g.packed_a ? Strided{g.packed_a, 1} : Strided{g.a.data, g.a.column_stride};
}

inline Strided right_column(const Gemm& g) {
  return g.packed_b ? Strided{g.packed_b, kTileColumns} : Strided{g.b.data, g.b.row_stride};
}

/// Whether a product is one of a vector and a matrix laid out in a way that pays.
inline bool is_gemv(const Gemm& g) {
  if (g.m == 1)
    return g.packed_b || g.b.column_stride == 1 || (g.b.row_stride == 1 && left_row(g).stride == 1);
  if (g.n == 1)
    return g.packed_a || g.a.row_stride == 1 ||
           (g.a.column_stride == 1 && right_column(g).stride == 1);
  return false;
}

/// C of one row.
inline void row_times_matrix(const Gemm& g, Range columns) {
  const Strided x = left_row(g);
  const bool by_rows = g.b.column_stride == 1;
  alignas(64) float sums[kVectorChunk];
  const Index chunk = g.packed_b ? kTileColumns : kVectorChunk;
  for (Index j = columns.begin; j < columns.end; j += chunk) {
    const Index n = min_of(chunk, columns.end - j);
    const float* matrix = g.packed_b ? g.packed_b + j * g.k : g.b.data + j * g.b.column_stride;
    if (g.packed_b) {
      sum_panel<kTileVectors, kTileColumns>(matrix, kTileColumns, x, g.k, sums);
    } else if (by_rows) {
      sum_rows(matrix, g.b.row_stride, x, g.k, sums, n);
    } else {
      dot_all(matrix, g.b.column_stride, x.data, g.k, sums, n);
    }
    emit(g, 0, j, sums, n);
  }
}

/// C of one column.
inline void matrix_times_column(const Gemm& g, Range rows) {
  const Strided x = right_column(g);
  const bool by_dots = g.a.column_stride == 1 && x.stride == 1;
  alignas(64) float sums[kVectorChunk];
  const Index width = panel_rows(g.m);
  const Index chunk = g.packed_a ? width : kVectorChunk;
  for (Index i = rows.begin; i < rows.end; i += chunk) {
    const Index n = min_of(chunk, rows.end - i);
    const float* matrix = g.packed_a ? g.packed_a + i * g.k : g.a.data + i * g.a.row_stride;
    if (g.packed_a) {
      constexpr int vectors = (kMaxTileRows + kLanes - 1) / kLanes;
      if (width <= kLanes) {
        sum_panel<1>(matrix, width, x, g.k, sums);
      } else {
        sum_panel<vectors>(matrix, width, x, g.k, sums);
      }
    } else if (by_dots) {
      dot_all(matrix, g.a.row_stride, x.data, g.k, sums, n);
    } else {
      sum_rows(matrix, g.a.column_stride, x, g.k, sums, n);
    }
    emit(g, i, 0, sums, n);
  }
}

inline void gemv(const Gemm& g, Range rows, Range columns) {
  if (g.m == 1) return row_times_matrix(g, columns);
  matrix_times_column(g, rows);
}

}  // namespace
}  // namespace strata::kernels
