#pragma once

#include "kernels/impl/wide.h"
#include "kernels/types.h"

/// Products of matrices of doubles. Rows of A and columns of B are copied side by side, some steps of the
/// sums at a time, so that a tile of C stays in registers: both operands lie in any order.
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
/// Steps whose columns of a tile fit a first cache, and rows of as many steps that fit a second one.
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

std::size_t gemm_doubles_scratch() noexcept {
  return sizeof(double) * (kDoubleBlock + kDoubleColumns) * kDoubleSteps;
}

void gemm_doubles(const GemmDoubles& g, Range rows, Range columns, void* scratch) noexcept {
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
