#pragma once

#include "kernels/impl/wide.h"
#include "kernels/types.h"

/// Products of matrices of doubles. Rows of A and columns of B are copied side by side, some steps
/// of the sums at a time, so that a tile of C stays in registers: both operands lie in any order.
namespace strata::kernels {
namespace {

#if defined(__AVX512F__)
constexpr Index kDoubleRows = 12;
#elif defined(__AVX2__)
constexpr Index kDoubleRows = 6;
#else
constexpr Index kDoubleRows = 4;
#endif
constexpr Index kDoubleColumns = 2 * kWideLanes;
/// Steps whose columns of a tile fit a first cache, and rows of as many steps that fit a second
/// one.
constexpr Index kDoubleSteps = 256, kDoubleBlock = 96;
typedef Vd UnalignedDoubles __attribute__((aligned(8), may_alias));

inline Vd load_doubles(const double* p) { return *reinterpret_cast<const UnalignedDoubles*>(p); }

/// Copies `count` lines of some steps, Width of them side by side; those past the end become zeros.
template <Index Width>
inline void pack_doubles(const double* from, Index line_stride, Index step_stride, Index count,
                         Index steps, double* to) {
  if (line_stride == 1 && count >= Width) {
    for (Index step = 0; step < steps; ++step, from += step_stride, to += Width)
      __builtin_memcpy(to, from, Width * sizeof(double));
    return;
  }
  for (Index line = 0; line < Width; ++line, from += line_stride)
    for (Index step = 0; step < steps; ++step)
      to[step * Width + line] = line < count ? from[step * step_stride] : 0.0;
}

/// A tile of the product of packed rows and columns.
inline void double_tile(const double* a, const double* b, Index steps, double* tile) {
  Vd sum[kDoubleRows][2] = {};
  for (Index step = 0; step < steps; ++step, a += kDoubleRows, b += kDoubleColumns) {
    const Vd first = load_doubles(b), second = load_doubles(b + kWideLanes);
#pragma GCC unroll 12
    for (Index row = 0; row < kDoubleRows; ++row) {
      const Vd x = broadcast(a[row]);
      sum[row][0] = fma(x, first, sum[row][0]);
      sum[row][1] = fma(x, second, sum[row][1]);
    }
  }
  __builtin_memcpy(tile, sum, sizeof sum);
}

/// c[i] = x[i], added to what is there if `adds`, for the first n of a tile's columns.
inline void put_doubles(const double* x, Index n, bool adds, double* c) {
  Index i = 0;
  for (; i + kWideLanes <= n; i += kWideLanes) {
    const Vd before = adds ? load_doubles(c + i) : Vd{};
    *reinterpret_cast<UnalignedDoubles*>(c + i) = before + load_doubles(x + i);
  }
  for (; i < n; ++i) c[i] = (adds ? c[i] : 0.0) + x[i];
}

inline double fma_one(double a, double b, double c) {
#if defined(__FMA__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// A row by columns that lie in one piece each: lanes are steps.
inline void row_by_pieces(const GemmDoubles& g, Range columns) {
  constexpr Index kSums = 4;
  for (Index column = columns.begin; column < columns.end; ++column) {
    const double* b = g.b + column * g.b_column;
    Vd sums[kSums] = {};
    Index step = 0;
    for (; step + kSums * kWideLanes <= g.k; step += kSums * kWideLanes)
#pragma GCC unroll 4
      for (Index i = 0; i < kSums; ++i) {
        const Index at = step + i * kWideLanes;
        sums[i] = fma(load_doubles(g.a + at), load_doubles(b + at), sums[i]);
      }
    for (; step + kWideLanes <= g.k; step += kWideLanes)
      sums[0] = fma(load_doubles(g.a + step), load_doubles(b + step), sums[0]);
    double sum = sum_lanes({sums[0] + sums[1], sums[2] + sums[3]});
    for (; step < g.k; ++step) sum = fma_one(g.a[step], b[step], sum);
    g.c[column] = sum;
  }
}

/// A row by columns that lie side by side: lanes are columns. The last of them are computed with
/// some before.
inline void row_by_columns(const GemmDoubles& g, Range columns) {
  constexpr Index kVectors = 8, kAtOnce = kVectors * kWideLanes;
  const Index count = columns.end - columns.begin;
  for (Index done = 0; count >= kAtOnce && done < count; done += kAtOnce) {
    const Index column = columns.begin + min_of(done, count - kAtOnce);
    const double* b = g.b + column;
    Vd sums[kVectors] = {};
    for (Index step = 0; step < g.k; ++step, b += g.b_row) {
      const Vd x = broadcast(g.a[step]);
#pragma GCC unroll 8
      for (Index i = 0; i < kVectors; ++i)
        sums[i] = fma(x, load_doubles(b + i * kWideLanes), sums[i]);
    }
    __builtin_memcpy(g.c + column, sums, sizeof sums);
  }
  if (count >= kAtOnce) return;
  for (Index column = columns.begin; column < columns.end; ++column) {
    double sum = 0;
    for (Index step = 0; step < g.k; ++step)
      sum = fma_one(g.a[step], g.b[step * g.b_row + column], sum);
    g.c[column] = sum;
  }
}

std::size_t gemm_doubles_scratch() noexcept {
  return sizeof(double) * (kDoubleBlock + kDoubleColumns) * kDoubleSteps;
}

void gemm_doubles(const GemmDoubles& g, Range rows, Range columns, void* scratch) noexcept {
  if (g.m == 1 && g.a_column == 1 && rows.begin < rows.end) {
    if (g.b_row == 1) return row_by_pieces(g, columns);
    if (g.b_column == 1) return row_by_columns(g, columns);
  }
  auto* const packed_a = static_cast<double*>(scratch);
  double* const packed_b = packed_a + kDoubleBlock * kDoubleSteps;
  Index done = 0;
  do {
    const Index steps = min_of(kDoubleSteps, g.k - done);
    for (Index block = rows.begin; block < rows.end; block += kDoubleBlock) {
      const Index end = min_of(block + kDoubleBlock, rows.end);
      for (Index row = block; row < end; row += kDoubleRows)
        pack_doubles<kDoubleRows>(g.a + row * g.a_row + done * g.a_column, g.a_row, g.a_column,
                                  end - row, steps, packed_a + (row - block) * steps);
      for (Index column = columns.begin; column < columns.end; column += kDoubleColumns) {
        const Index across = min_of(kDoubleColumns, columns.end - column);
        pack_doubles<kDoubleColumns>(g.b + done * g.b_row + column * g.b_column, g.b_column,
                                     g.b_row, across, steps, packed_b);
        for (Index row = block; row < end; row += kDoubleRows) {
          double tile[kDoubleRows * kDoubleColumns];
          double_tile(packed_a + (row - block) * steps, packed_b, steps, tile);
          for (Index r = 0; r < min_of(kDoubleRows, end - row); ++r)
            put_doubles(tile + r * kDoubleColumns, across, done > 0,
                        g.c + (row + r) * g.n + column);
        }
      }
    }
    done += steps;
  } while (done < g.k);
}

}  // namespace
}  // namespace strata::kernels
