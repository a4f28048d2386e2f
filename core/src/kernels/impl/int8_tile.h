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

constexpr int kFewColumns = 4;  ///< that are computed at once, or else one or two
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

/// How many of so many columns are computed at once, and for how many that is done in the end.
inline Index few_at_once(Index columns) { return columns < 3 ? columns : kFewColumns; }
inline Index few_in_all(Index columns) {
  const Index rest = columns % kFewColumns;
  return columns - rest + (rest == 0 ? 0 : few_at_once(rest));
}

/// The products of vectors, or what takes as long, of so many columns as a few.
inline Index few_products(Index columns, Index rows, Index steps) {
  return few_in_all(columns) * (kRowVectors * steps * 5 / 4 + rows);
}
inline Index panel_products(Index rows, Index steps) { return rows * kPanelVectors * steps; }
inline bool are_few(Index columns, Index rows, Index steps) {
  return few_products(columns, rows, steps) < panel_products(rows, steps);
}

/// Half the rows of a tile by half a panel more, where there are registers enough.
constexpr bool kHasWide = kLanes == 16 && kGroup == 4;
constexpr int kWideRows = kMaxTileRows / 2;
constexpr Index kWide = kPanel + kLanes;

/// Whether the last panel and half a one behind it are computed at once: where a few are left then.
inline bool has_wide(Index columns, Index rows, Index steps) {
  const Index rest = columns % kPanel - kLanes;
  return kHasWide && columns >= kWide && rest >= 0 && 2 * kWideRows - rows <= 2 &&
         are_few(rest, rows, steps);
}

/// The products of vectors that `compute_sums_of` takes for a tile of as many rows as there may be.
inline Index products_of(Index columns, Index steps) {
  constexpr Index kRows = kMaxTileRows;
  const Index panel = panel_products(kRows, steps), rest = columns % kPanel;
  const Index all = columns / kPanel * panel;
  if (has_wide(columns, kRows, steps))
    return all + panel / kPanelVectors + few_products(rest - kLanes, kRows, steps);
  return all + min_of(few_products(rest, kRows, steps), panel);
}

/// Computes the sums of up to kMaxTileRows rows and some columns, and of others behind them; panels
/// lie side by side. Up to kMaxTileRows words are read behind the left operand.
inline void compute_sums_of(const Int8Operands<Word>& o, Index rows, Index columns, Word* sums) {
  const bool is_wide = has_wide(columns, rows, o.count);
  const bool is_split = is_wide || are_few(columns % kPanel, rows, o.count);
  const Index panels = (is_split ? columns / kPanel : ceil_div(columns, kPanel)) - is_wide;
  if (panels > 0) compute_sums(o, rows, panels, sums);
  Index done = panels * kPanel;
  const Word* right = o.right + panels * o.panel_step;
  if (is_wide) {
    Int8Operands<Word> wide = o;
    wide.right = right;
    for (const Index row : {Index{0}, rows - kWideRows}) {
      wide.left = o.left + row;
      int8_tiles<kWideRows, Word, 3>(wide, 1, sums + row * o.sums_step + done);
    }
    done += kWide;
    right += kWide;
  }
  for (Index some; done < columns; done += some, right += some) {
    some = few_at_once(columns - done);
    const auto compute = some == 1   ? few_columns<1>
                         : some == 2 ? few_columns<2>
                                     : few_columns<kFewColumns>;
    compute(o, rows, right, sums + done);
  }
}

}  // namespace
}  // namespace strata::kernels
