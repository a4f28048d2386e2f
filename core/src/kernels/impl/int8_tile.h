#pragma once

#include <utility>

#include "kernels/impl/int8_words.h"

/// The register tile of the products of bytes: up to kMaxTileRows rows by a panel of words.
namespace strata::kernels {
namespace {

/// Where the words of each step of a right operand lie: those of step i at
/// offsets[i % period] + i / period * advance.
struct StepOffsets {
  const Index* offsets;
  Index period;
  Index advance;
};

/// left: words of rows, `left_step` apart from step to step; right: panels `panel_step` apart.
template <class Right>
struct Int8Operands {
  const Word* left;
  Index left_step;
  const Right* right;
  Index panel_step;
  StepOffsets steps;
  Index count;      ///< of steps
  Index sums_step;  ///< between the rows of sums
};

/// sum[r] += the products of row r with the words at `right`. Most rows are broadcast as they are
/// multiplied, where one instruction does both, as in the `add_step` of floats.
template <int R, int V, class Right>
inline void add_step(const Word* left, const Right* right, Vu (&sum)[R][V]) {
  constexpr int kWithProducts = kHasBroadcastProducts ? R * 3 / 4 : 0;
  Vu x[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) x[v] = load_words(right + v * kLanes);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    if (r < kWithProducts) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) add_broadcast_products(sum[r][v], x[v], left[r]);
    } else {
      const Vu w = broadcast_word(left[r]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[r][v] = add_step_products<Right>(sum[r][v], x[v], w);
    }
  }
}

/// Writes R rows of sums of `panels` panels, or of what is V vectors wide.
template <int R, class Right, int V = kPanelVectors>
void int8_tiles(const Int8Operands<Right>& o, Index panels, Word* sums) noexcept {
  // With few rows there are too few sums to hide the latency of one in the others.
  constexpr int kApart = R == 1 ? 4 : R <= 3 ? 2 : 1;
  // Fetched meanwhile, a page ahead: what the CPU fetches by itself ends with each page.
  constexpr Index kWordsAhead = 1024;
  for (Index panel = 0; panel < panels; ++panel) {
    const Right* right = o.right + panel * o.panel_step;
    const Word* left = o.left;
    Vu sum[kApart][R][V] = {};
    for (Index rest = o.count; rest > 0; rest -= o.steps.period, right += o.steps.advance) {
      const Index* at = o.steps.offsets;
      Index count = min_of(rest, o.steps.period);
      for (; count >= kApart; count -= kApart, at += kApart) {
#pragma GCC unroll 4
        for (int s = 0; s < kApart; ++s, left += o.left_step) {
          __builtin_prefetch(left + kWordsAhead);
          add_step(left, right + at[s], sum[s]);
        }
      }
      if constexpr (kApart > 1) {
        for (; count > 0; --count, ++at, left += o.left_step) add_step(left, right + *at, sum[0]);
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        Vu total = sum[0][r][v];
#pragma GCC unroll 4
        for (int s = 1; s < kApart; ++s) total += sum[s][r][v];
        store_words(sums + r * o.sums_step + panel * kPanel + v * kLanes, total);
      }
    }
  }
}

template <class Right>
using Int8Tiles = void (*)(const Int8Operands<Right>&, Index panels, Word* sums) noexcept;

template <class Right, int... R>
constexpr Int8Tiles<Right> int8_tiles_of(Index rows, std::integer_sequence<int, R...>) {
  constexpr Int8Tiles<Right> all[] = {int8_tiles<R + 1, Right>...};
  return all[rows - 1];
}

/// Computes the sums of up to kMaxTileRows rows.
template <class Right>
inline void compute_sums(const Int8Operands<Right>& operands, Index rows, Index panels,
                         Word* sums) {
  int8_tiles_of<Right>(rows, std::make_integer_sequence<int, kMaxTileRows>{})(operands, panels,
                                                                              sums);
}

constexpr int kFewColumns = 4;  ///< that are computed at once, or else one
constexpr int kRowVectors = (kMaxTileRows + kLanes - 1) / kLanes;

/// sum[c] += the products of column c of the words at `right` with some rows.
template <int C>
inline void add_column_step(const Word* left, const Word* right, Vu (&sum)[C][kRowVectors]) {
#pragma GCC unroll 4
  for (int v = 0; v < kRowVectors; ++v) {
    const Vu w = load_words(left + v * kLanes);
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) sum[c][v] = add_products(sum[c][v], broadcast_word(right[c]), w);
  }
}

/// Writes the sums of C columns, rows side by side in vectors. Words behind the rows are read.
template <int C>
[[gnu::noinline]] void few_columns(const Int8Operands<Word>& o, Index rows, const Word* right,
                                   Word* sums) {
  constexpr int kApart = C == 1 ? 4 : 1;  // as in int8_tiles
  Vu part[kApart][C][kRowVectors] = {};
  const Word* left = o.left;
  for (Index rest = o.count; rest > 0; rest -= o.steps.period, right += o.steps.advance) {
    const Index* at = o.steps.offsets;
    const Index* const end = at + min_of(rest, o.steps.period);
    for (; end - at >= kApart; at += kApart)
#pragma GCC unroll 4
      for (int s = 0; s < kApart; ++s, left += o.left_step)
        add_column_step(left, right + at[s], part[s]);
    for (; at < end; ++at, left += o.left_step) add_column_step(left, right + *at, part[0]);
  }
  auto& sum = part[0];
#pragma GCC unroll 4
  for (int s = 1; s < kApart; ++s)
    for (int c = 0; c < C; ++c)
      for (int v = 0; v < kRowVectors; ++v) sum[c][v] += part[s][c][v];
  alignas(64) Word columns[C][kRowVectors * kLanes];
#pragma GCC unroll 4
  for (int c = 0; c < C; ++c)
    for (int v = 0; v < kRowVectors; ++v) store_words(columns[c] + v * kLanes, sum[c][v]);
  for (Index r = 0; r < rows; ++r, sums += o.sums_step)
    for (int c = 0; c < C; ++c) sums[c] = columns[c][r];
}

/// Half a panel of columns, of as many rows as a tile may have, where there are registers enough.
constexpr bool kHasHalves = kLanes == 16 && kGroup == 4;

/// Writes the sums of up to half a panel of columns. Words behind the rows are read.
[[gnu::noinline]] inline void half_panel(Int8Operands<Word> o, Index rows, Index columns,
                                         const Word* right, Word* sums) {
  alignas(64) Word part[kMaxTileRows * kLanes];
  const Index sums_step = std::exchange(o.sums_step, kLanes);
  o.right = right;
  int8_tiles<kMaxTileRows, Word, 1>(o, 1, part);
  for (Index r = 0; r < rows; ++r)
    store_first_words(sums + r * sums_step, load_words(part + r * kLanes), columns);
}

/// How many of the columns of a part of a panel are computed at once.
inline Index columns_at_once(Index columns) {
  if (kHasHalves && columns > kFewColumns) return min_of(columns, kLanes);
  return columns == 1 ? 1 : kFewColumns;
}

/// The products of vectors that take as long as some columns do that are computed at once. Those of
/// a few wait for each other, or for their words.
inline Index products_at_once(Index columns, Index rows, Index steps) {
  constexpr Index kQuarters = kHasHalves ? 10 : 5;  // of a product
  if (columns > kFewColumns) return kMaxTileRows * steps + rows;
  return columns * (kRowVectors * steps * kQuarters / 4 + rows);
}
inline Index part_products(Index columns, Index rows, Index steps) {
  Index products = 0;
  for (Index some; columns > 0; columns -= some) {
    some = columns_at_once(columns);
    products += products_at_once(some, rows, steps);
  }
  return products;
}
inline Index panel_products(Index rows, Index steps) { return rows * kPanelVectors * steps; }

/// The products of vectors that `compute_sums_of` takes for a tile of as many rows as there may be.
inline Index products_of(Index columns, Index steps) {
  constexpr Index kRows = kMaxTileRows;
  const Index panel = panel_products(kRows, steps);
  return columns / kPanel * panel + min_of(part_products(columns % kPanel, kRows, steps), panel);
}

/// Computes the sums of up to kMaxTileRows rows and some columns, and of others behind them; panels
/// lie side by side. Up to kMaxTileRows words are read behind the left operand.
inline void compute_sums_of(const Int8Operands<Word>& o, Index rows, Index columns, Word* sums) {
  const bool is_split =
      part_products(columns % kPanel, rows, o.count) < panel_products(rows, o.count);
  const Index panels = is_split ? columns / kPanel : ceil_div(columns, kPanel);
  if (panels > 0) compute_sums(o, rows, panels, sums);
  const Word* right = o.right + panels * o.panel_step;
  for (Index done = panels * kPanel, some; done < columns; done += some, right += some) {
    some = columns_at_once(columns - done);
    if constexpr (kHasHalves)
      if (some > kFewColumns) {
        half_panel(o, rows, some, right, sums + done);
        continue;
      }
    some == 1 ? few_columns<1>(o, rows, right, sums + done)
              : few_columns<kFewColumns>(o, rows, right, sums + done);
  }
}

}  // namespace
}  // namespace strata::kernels
