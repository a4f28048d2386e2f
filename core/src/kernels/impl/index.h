#pragma once

#include "kernels/impl/simd.h"
#include "kernels/types.h"

/// Arithmetic on sizes.
namespace strata::kernels {
namespace {

inline Index min_of(Index a, Index b) { return a < b ? a : b; }
inline Index max_of(Index a, Index b) { return a < b ? b : a; }
inline Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }
inline Index round_up(Index a, Index b) { return ceil_div(a, b) * b; }
inline Index volume(const Index (&extent)[3]) { return extent[0] * extent[1] * extent[2]; }

/// One tap, which touches every input once: the input is the matrix of patches.
inline bool is_pointwise(const Window& w) {
  for (int i = 0; i < 3; ++i) {
    if (w.kernel[i] != 1 || w.stride[i] != 1 || w.pad[i] != 0 || w.in[i] != w.out[i]) return false;
  }
  return true;
}

/// Part `part` of `parts` of n, as even as it can be.
[[gnu::noinline]] inline Range part_of_whole(Index n, Index part, Index parts) {
  return {part * n / parts, (part + 1) * n / parts};
}

constexpr Index kManyParts = 16;  ///< one more or less of them matters little

/// So many chunks of an image or a few more, each of so many parts, that two threads, and mostly
/// four, share them evenly.
inline Index even_tasks(Index chunks, Index parts) {
  if (chunks > 2) return round_up(chunks, 4);
  return parts % 2 == 1 && parts < kManyParts ? 2 : chunks;
}

/// Rows of one panel of a left operand: as even a split of m as whole panels allow.
inline Index panel_rows(Index m) { return ceil_div(m, ceil_div(m, kMaxTileRows)); }

}  // namespace
}  // namespace strata::kernels
