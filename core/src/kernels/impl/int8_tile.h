#pragma once

#include <utility>

#include "kernels/impl/int8_words.h"

/// The register tile of the products of bytes: up to kMaxTileRows rows by a panel of words.
namespace strata::kernels {
namespace {

/// Where the words of each step of a right operand lie: evenly spaced, or anywhere.
struct EvenSteps {
  Index step;
  Index at(Index i) const { return i * step; }
};
struct ListedSteps {
  const Index* offsets;
  Index at(Index i) const { return offsets[i]; }
};

/// left: words of rows, `left_step` apart from step to step; right: panels `panel_step` apart.
template <class Steps>
struct Int8Operands {
  const Word* left;
  Index left_step;
  const Word* right;
  Index panel_step;
  Steps steps;
  Index count;  ///< of steps
};

/// sum[r] += the products of row r with the words at `right`.
template <int R>
inline void add_step(const Word* left, const Word* right, Vu (&sum)[R][kPanelVectors]) {
  Vu x[kPanelVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kPanelVectors; ++v) x[v] = load_words(right + v * kLanes);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    const Vu w = broadcast_word(left[r]);
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) sum[r][v] = add_products(sum[r][v], x[v], w);
  }
}

/// Writes R rows of sums, kChunk apart, of `panels` panels.
template <int R, class Steps>
void int8_tiles(const Int8Operands<Steps>& o, Index panels, Word* sums) noexcept {
  // With few rows there are too few sums to hide the latency of one in the others.
  constexpr int kApart = R == 1 ? 4 : R <= 3 ? 2 : 1;
  for (Index panel = 0; panel < panels; ++panel) {
    const Word* right = o.right + panel * o.panel_step;
    const Word* left = o.left;
    Vu sum[kApart][R][kPanelVectors] = {};
    Index i = 0;
    for (; i + kApart <= o.count; i += kApart) {
#pragma GCC unroll 4
      for (int s = 0; s < kApart; ++s, left += o.left_step)
        add_step<R>(left, right + o.steps.at(i + s), sum[s]);
    }
    if constexpr (kApart > 1) {
      for (; i < o.count; ++i, left += o.left_step)
        add_step<R>(left, right + o.steps.at(i), sum[0]);
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) {
        Vu total = sum[0][r][v];
#pragma GCC unroll 4
        for (int s = 1; s < kApart; ++s) total += sum[s][r][v];
        store_words(sums + r * kChunk + panel * kPanel + v * kLanes, total);
      }
    }
  }
}

template <class Steps>
using Int8Tiles = void (*)(const Int8Operands<Steps>&, Index panels, Word* sums) noexcept;

template <class Steps, int... R>
constexpr Int8Tiles<Steps> int8_tiles_of(Index rows, std::integer_sequence<int, R...>) {
  constexpr Int8Tiles<Steps> all[] = {int8_tiles<R + 1, Steps>...};
  return all[rows - 1];
}

/// Computes the sums of up to kMaxTileRows rows.
template <class Steps>
inline void compute_sums(const Int8Operands<Steps>& operands, Index rows, Index panels,
                         Word* sums) {
  int8_tiles_of<Steps>(rows, std::make_integer_sequence<int, kMaxTileRows>{})(operands, panels,
                                                                              sums);
}

}  // namespace
}  // namespace strata::kernels
