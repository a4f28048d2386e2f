#pragma once

#include "kernels/impl/tile_sums.h"

/// The register tile of the matrix product: up to kMaxTileRows rows by kTileVectors vectors of C.
namespace strata::kernels {
namespace {

constexpr int kTileVectors = 2;
constexpr Index kTileColumns = kTileVectors * kLanes;
constexpr Index kLineFloats = 16;  ///< in a cache line

/// What is done to a tile of sums before it is stored at `c`: clip(sum + add + row_bias +
/// column_bias).
struct TileFinish {
  float* c;
  Index c_stride;
  const float* add = nullptr;  ///< earlier sums of C, or the residual; null for none
  Index add_stride = 0;
  const float* row_bias = nullptr;     ///< null for none
  const float* column_bias = nullptr;  ///< null for none
  bool clips = false;
  float low = 0;
  float high = 0;
};

/// a: tile rows `a_row` apart, of k elements `a_step` apart; b: k rows of tile columns, `b_step`
/// apart.
struct TileOperands {
  const float* a;
  Index a_row;
  Index a_step;
  const float* b;
  Index b_step;
  Index k;
  const float* ahead;            ///< what is read next, fetched while the tile is computed
  Index ahead_step;              ///< floats from what one element of k fetches of it to the next
  const Index* parts = nullptr;  ///< where k rows of b begin, one after the other; null for 0
  Index part_count = 1;
};

template <int R, int V>
inline void finish_tile(const TileFinish& t, Vf (&sum)[R][V]) {
  if (t.add) {
    for_each_sum(sum, [&](Vf s, Index r, Index v) {
      return s + load(t.add + r * t.add_stride + v * kLanes);
    });
  }
  if (t.row_bias) {
    for_each_sum(sum, [&](Vf s, Index r, Index) { return s + t.row_bias[r]; });
  }
  if (t.column_bias) {
    for_each_sum(sum, [&](Vf s, Index, Index v) { return s + load(t.column_bias + v * kLanes); });
  }
  if (t.clips) {
    const Vf low = broadcast(t.low), high = broadcast(t.high);
    for_each_sum(sum, [&](Vf s, Index, Index) { return at_most(at_least(s, low), high); });
  }
  for_each_sum(sum, [&](Vf s, Index r, Index v) {
    store(t.c + r * t.c_stride + v * kLanes, s);
    return s;
  });
}

/// Rows `row` apart, all at the same step; one pointer addresses three of them.
template <int R>
struct TileRows {
  static constexpr int kBases = (R + 2) / 3;
  const float* base[kBases];
  Index row;
  TileRows(const float* a, Index a_row) : row(a_row) {
#pragma GCC unroll 8
    for (int i = 0; i < kBases; ++i) base[i] = a + 3 * i * a_row;
  }
  const float& operator[](int r) const { return base[r / 3][r % 3 * row]; }
  void advance(Index step) {
#pragma GCC unroll 8
    for (const float*& pointer : base) pointer += step;
  }
};

/// The cache lines that are fetched with each step of k.
constexpr int kFetchedLines = (kTileColumns + kLineFloats - 1) / kLineFloats;

/// Computes a tile of R rows and V whole vectors. The place where it will be stored is fetched
/// first.
template <int R, int V>
void tile(const TileOperands& operands, const TileFinish& finish) noexcept {
  Vf sum[R][V] = {};
  TileRows<R> a(operands.a, operands.a_row);
  const Index a_step = operands.a_step;
  const Index b_step = operands.b_step;
  const float* ahead = operands.ahead;
  const Index ahead_step = operands.ahead_step;
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) __builtin_prefetch(finish.c + r * finish.c_stride, 1);
  for (Index part = 0; part < operands.part_count; ++part) {
    const float* b = operands.b + (operands.parts ? operands.parts[part] : 0);
    Index k = operands.k;
    for (; k >= kStepsAtOnce; k -= kStepsAtOnce) {
#pragma GCC unroll 4
      for (int s = 0; s < kStepsAtOnce; ++s, b += b_step, ahead += ahead_step) {
#pragma GCC unroll 4
        for (int i = 0; i < kFetchedLines; ++i) __builtin_prefetch(ahead + i * kLineFloats, 0, 2);
        add_step(a, b, sum);
        a.advance(a_step);
      }
    }
    for (; k > 0; --k, b += b_step) {
      add_step(a, b, sum);
      a.advance(a_step);
    }
  }
  finish_tile(finish, sum);
}

using TileFunction = void (*)(const TileOperands&, const TileFinish&) noexcept;

template <int V, int... R>
struct TileRow {
  static constexpr TileFunction functions[] = {tile<R + 1, V>...};
};

#if defined(__AVX512F__)
template <int V>
using Tiles = TileRow<V, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13>;
#else
template <int V>
using Tiles = TileRow<V, 0, 1, 2, 3, 4, 5>;
#endif

inline TileFunction tile_for(Index rows, Index columns) {
  return columns > kLanes ? Tiles<2>::functions[rows - 1] : Tiles<1>::functions[rows - 1];
}

/// Stores value(row, column) for each vector of a tile, of which the last of a row may be partial.
template <class Value>
inline void store_edge(const TileFinish& t, Index rows, Index columns, Value value) {
  for (Index j = 0; j < columns; j += kLanes)
    for (Index r = 0; r < rows; ++r) store_upto(t.c + r * t.c_stride + j, value(r, j), columns - j);
}

/// Finishes a tile of sums in `sums` (stride kTileColumns) whose last vector is partial. Most sums
/// are only written, which is not asked for each of them.
[[gnu::noinline]] inline void finish_edge(const TileFinish& t, const float* sums, Index rows,
                                          Index columns) {
  const auto sum = [=](Index r, Index j) { return load(sums + r * kTileColumns + j); };
  if (!t.add && !t.row_bias && !t.column_bias && !t.clips) return store_edge(t, rows, columns, sum);
  store_edge(t, rows, columns, [&](Index r, Index j) {
    const Index left = columns - j;
    Vf x = sum(r, j);
    if (t.add) x = x + load_upto(t.add + r * t.add_stride + j, left);
    if (t.row_bias) x = x + broadcast(t.row_bias[r]);
    if (t.column_bias) x = x + load_upto(t.column_bias + j, left);
    return t.clips ? clip(x, t.low, t.high) : x;
  });
}

/// Computes a tile of any size up to kMaxTileRows x kTileColumns; b must be readable by whole
/// vectors.
inline void compute_tile(const TileOperands& operands, const TileFinish& finish, Index rows,
                         Index columns) {
  const TileFunction function = tile_for(rows, columns);
  if (columns % kLanes == 0) return function(operands, finish);
  alignas(64) float sums[kMaxTileRows * kTileColumns];
  function(operands, {.c = sums, .c_stride = kTileColumns});
  finish_edge(finish, sums, rows, columns);
}

}  // namespace
}  // namespace strata::kernels
