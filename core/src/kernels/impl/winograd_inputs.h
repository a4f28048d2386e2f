#pragma once

#include "kernels/impl/blocked_direct.h"
#include "kernels/impl/winograd_plan.h"
#include "kernels/impl/winograd_transform.h"

/// The inputs of some tiles as Winograd's method takes them.
namespace strata::kernels {
namespace {

/// The tiles that a task makes.
struct WinogradTiles {
  const WinogradPlan& plan;
  const Window& window;
  Index first;
  Index count;

  /// Where a tile is, in tiles.
  Index row(Index tile) const { return (first + tile) / plan.columns; }
  Index column(Index tile) const { return (first + tile) % plan.columns; }
};

/// The patch of a tile whose first input is (y, x) of `plane`, as rows `row_step` floats apart:
/// in place, or copied with its padding to `copy`.
template <int N>
inline const float* tile_patch(const Window& w, const float* plane, Index y, Index x, float* copy,
                               Index& row_step) {
  row_step = w.in[2] * kChannelBlock;
  if (y >= 0 && x >= 0 && y + N <= w.in[1] && x + N <= w.in[2])
    return plane + y * row_step + x * kChannelBlock;
  const Range columns{x < 0 ? -x : 0, min_of(N, w.in[2] - x)};
  fill_zero(copy, N * N * kChannelBlock);
  for (Index i = y < 0 ? -y : 0; i < min_of(N, w.in[1] - y); ++i)
    copy_run(plane + (y + i) * row_step + (x + columns.begin) * kChannelBlock, 1,
             copy + (i * N + columns.begin) * kChannelBlock,
             columns.end > columns.begin ? (columns.end - columns.begin) * kChannelBlock : 0);
  row_step = N * kChannelBlock;
  return copy;
}

/// B^T d B of some lanes of one patch, its places `place_step` apart.
template <int N>
inline void transform_patch(const float* patch, Index row_step, float* out, Index place_step) {
  Vf columns[N][N];
#pragma GCC unroll 6
  for (int j = 0; j < N; ++j) {
    Vf d[N], t[N];
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) d[i] = load(patch + i * row_step + j * kChannelBlock);
    WinogradInputs<N>::transform(d, t);
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) columns[i][j] = t[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
    Vf t[N];
    WinogradInputs<N>::transform(columns[i], t);
#pragma GCC unroll 6
    for (int j = 0; j < N; ++j) store(out + (i * N + j) * place_step, t[j]);
  }
}

template <int N>
void transform_inputs(const WinogradTiles& t, const float* x, float* out) noexcept {
  alignas(64) float copy[N * N * kChannelBlock];
  const Window& w = t.window;
  const Index step = t.plan.step, place_step = t.plan.in_blocks * t.count * kChannelBlock;
  for (Index block = 0; block < t.plan.in_blocks; ++block) {
    const float* plane = x + block * w.in[1] * w.in[2] * kChannelBlock;
    for (Index tile = 0; tile < t.count; ++tile, out += kChannelBlock) {
      Index row_step = 0;
      const float* patch = tile_patch<N>(w, plane, t.row(tile) * step - w.pad[1],
                                         t.column(tile) * step - w.pad[2], copy, row_step);
      for (Index lane = 0; lane < kChannelBlock; lane += kLanes)
        transform_patch<N>(patch + lane, row_step, out + lane, place_step);
    }
  }
}

}  // namespace
}  // namespace strata::kernels
