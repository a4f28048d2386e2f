#pragma once

#include "kernels/impl/gemm_driver.h"

/// Products of a vector and a matrix: sums[j] = sum over k of x[k] M(k, j). They read M once, in
/// order.
namespace strata::kernels {
namespace {

constexpr Index kVectorChunk = 1024;  ///< outputs whose sums are kept in the nearest cache

struct Strided {
  const float* data;
  Index stride;
};

/// sums[j] += sum over R rows of x[r] rows[r * step + j].
template <int R>
inline void add_rows(const float* rows, Index step, Strided x, float* sums, Index n) {
  Vf scale[R];
  for (int r = 0; r < R; ++r) scale[r] = broadcast(x.data[r * x.stride]);
  Index j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    Vf sum = load(sums + j);
    for (int r = 0; r < R; ++r) sum = fma(scale[r], load(rows + r * step + j), sum);
    store(sums + j, sum);
  }
  for (; j < n; ++j) {
    for (int r = 0; r < R; ++r) sums[j] += x.data[r * x.stride] * rows[r * step + j];
  }
}

/// M(k, j) = matrix[k * step + j].
inline void sum_rows(const float* matrix, Index step, Strided x, Index k, float* sums, Index n) {
  for (Index j = 0; j < n; ++j) sums[j] = 0;
  Index i = 0;
  for (; i + 8 <= k; i += 8) {
    add_rows<8>(matrix + i * step, step, {x.data + i * x.stride, x.stride}, sums, n);
  }
  for (; i < k; ++i) {
    add_rows<1>(matrix + i * step, step, {x.data + i * x.stride, x.stride}, sums, n);
  }
}

/// R dot products of x with rows `step` apart.
template <int R>
inline void dot_rows(const float* matrix, Index step, const float* x, Index k, float* sums) {
  Vf sum[R][2] = {};
  Index i = 0;
  for (; i + 2 * kLanes <= k; i += 2 * kLanes) {
    for (int r = 0; r < R; ++r) {
      sum[r][0] = fma(load(matrix + r * step + i), load(x + i), sum[r][0]);
      sum[r][1] = fma(load(matrix + r * step + i + kLanes), load(x + i + kLanes), sum[r][1]);
    }
  }
  for (; i + kLanes <= k; i += kLanes) {
    for (int r = 0; r < R; ++r)
      sum[r][0] = fma(load(matrix + r * step + i), load(x + i), sum[r][0]);
  }
  if (i < k) {
    const Vf last = load_first(x + i, k - i);
    for (int r = 0; r < R; ++r) {
      sum[r][1] = fma(load_first(matrix + r * step + i, k - i), last, sum[r][1]);
    }
  }
  for (int r = 0; r < R; ++r) sums[r] = sum_lanes(sum[r][0] + sum[r][1]);
}

/// M(k, j) = matrix[j * step + k].
inline void dot_all(const float* matrix, Index step, const float* x, Index k, float* sums,
                    Index n) {
  Index j = 0;
  for (; j + 4 <= n; j += 4) dot_rows<4>(matrix + j * step, step, x, k, sums + j);
  for (; j < n; ++j) dot_rows<1>(matrix + j * step, step, x, k, sums + j);
}

/// M(k, j) = panel[k * width + j] for V vectors of j, some of which may belong to the next step.
template <int V>
inline void sum_panel(const float* panel, Index width, Strided x, Index k, float* sums) {
  Vf sum[4][V] = {};
  Index i = 0;
  for (; i + 4 <= k; i += 4, panel += 4 * width) {
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) {
      const Vf scale = broadcast(x.data[(i + t) * x.stride]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        sum[t][v] = fma(scale, load(panel + t * width + v * kLanes), sum[t][v]);
      }
    }
  }
  for (; i < k; ++i, panel += width) {
    const Vf scale = broadcast(x.data[i * x.stride]);
    for (int v = 0; v < V; ++v) sum[0][v] = fma(scale, load(panel + v * kLanes), sum[0][v]);
  }
  for (int v = 0; v < V; ++v) {
    store(sums + v * kLanes, (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]));
  }
}

/// sums[j] += values[j * step]; the vectoriser needs to see a step of 1.
inline void add_values(float* sums, const float* values, Index step, Index n) {
  if (step == 1) {
    for (Index j = 0; j < n; ++j) sums[j] += values[j];
  } else {
    for (Index j = 0; j < n; ++j) sums[j] += values[j * step];
  }
}

/// c[j * step] = sums[j].
inline void store_sums(const float* sums, float* c, Index step, Index n) {
  if (step == 1) {
    for (Index j = 0; j < n; ++j) c[j] = sums[j];
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

/// C of one row.
inline bool row_times_matrix(const Gemm& g, Range columns) {
  const Strided x = g.packed_a ? Strided{g.packed_a, 1} : Strided{g.a.data, g.a.column_stride};
  const bool by_rows = g.b.column_stride == 1;
  if (!g.packed_b && !by_rows && !(g.b.row_stride == 1 && x.stride == 1)) return false;
  alignas(64) float sums[kVectorChunk];
  const Index chunk = g.packed_b ? kTileColumns : kVectorChunk;
  for (Index j = columns.begin; j < columns.end; j += chunk) {
    const Index n = min_of(chunk, columns.end - j);
    const float* matrix = g.packed_b ? g.packed_b + j * g.k : g.b.data + j * g.b.column_stride;
    if (g.packed_b) {
      sum_panel<kTileVectors>(matrix, kTileColumns, x, g.k, sums);
    } else if (by_rows) {
      sum_rows(matrix, g.b.row_stride, x, g.k, sums, n);
    } else {
      dot_all(matrix, g.b.column_stride, x.data, g.k, sums, n);
    }
    emit(g, 0, j, sums, n);
  }
  return true;
}

/// C of one column.
inline bool matrix_times_column(const Gemm& g, Range rows) {
  const Strided x =
      g.packed_b ? Strided{g.packed_b, kTileColumns} : Strided{g.b.data, g.b.row_stride};
  const bool by_dots = g.a.column_stride == 1 && x.stride == 1;
  if (!g.packed_a && !by_dots && g.a.row_stride != 1) return false;
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
  return true;
}

/// Computes the product if it is one of a vector and a matrix laid out in a way that pays; false if
/// not.
inline bool gemv(const Gemm& g, Range rows, Range columns) {
  if (g.m == 1) return row_times_matrix(g, columns);
  if (g.n == 1) return matrix_times_column(g, rows);
  return false;
}

}  // namespace
}  // namespace strata::kernels
