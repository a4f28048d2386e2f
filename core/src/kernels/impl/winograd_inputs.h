#pragma once

#include "kernels/impl/blocked_direct.h"
#include "kernels/impl/blocked_planes.h"
#include "kernels/impl/winograd_plan.h"
#include "kernels/impl/winograd_transform.h"

/// The inputs of some tiles as Winograd's method takes them, from blocks, or from planes by way of
/// strips: the rows that a run of tiles reads, turned into blocks while they are in a near cache.
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
  /// Where the row of a tile ends among the tiles.
  Index row_end(Index tile) const { return min_of(count, tile + plan.columns - column(tile)); }
  /// The first input of a tile, which may lie in the padding.
  Index input_row(Index tile) const { return row(tile) * plan.step - window.pad[1]; }
  Index input_column(Index tile) const { return column(tile) * plan.step - window.pad[2]; }
};

/// Rows of pixels of a block, `row_step` floats apart.
struct Patch {
  const float* x;
  Index row_step;
};

/// The inputs of a tile of `plane`, in place, or copied with their padding to `copy`.
[[gnu::noinline]] inline Patch tile_patch(const WinogradTiles& t, Index tile, const float* plane,
                                          float* copy) {
  const Window& w = t.window;
  const Index size = t.plan.size, in_row = w.in[2] * kChannelBlock;
  const Index y = t.input_row(tile), x = t.input_column(tile);
  if (y >= 0 && x >= 0 && y + size <= w.in[1] && x + size <= w.in[2])
    return {plane + y * in_row + x * kChannelBlock, in_row};
  const Range columns{x < 0 ? -x : 0, min_of(size, w.in[2] - x)};
  fill_zero(copy, size * size * kChannelBlock);
  for (Index i = y < 0 ? -y : 0; i < min_of(size, w.in[1] - y); ++i)
    copy_run(plane + (y + i) * in_row + (x + columns.begin) * kChannelBlock, 1,
             copy + (i * size + columns.begin) * kChannelBlock,
             columns.end > columns.begin ? (columns.end - columns.begin) * kChannelBlock : 0);
  return {copy, size * kChannelBlock};
}

/// B^T d B of some lanes of one patch, its places `place_step` apart.
template <int N>
[[gnu::noinline]] inline void transform_patch(const float* patch, Index row_step, float* out,
                                              Index place_step) {
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

/// All lanes of one patch.
template <int N>
inline void transform_lanes(const Patch& patch, float* out, Index place_step) {
  for (Index lane = 0; lane < kChannelBlock; lane += kLanes)
    transform_patch<N>(patch.x + lane, patch.row_step, out + lane, place_step);
}

template <int N>
inline void transform_block(const WinogradTiles& t, const float* x, float* out) {
  alignas(64) float copy[N * N * kChannelBlock];
  for (Index tile = 0; tile < t.count; ++tile) {
    const Patch patch = tile_patch(t, tile, x, copy);
    transform_lanes<N>(patch, out + tile * kChannelBlock, t.plan.input_step(t.count));
  }
}

/// Some planes of one image, which become a block.
struct BlockOfPlanes {
  const float* x;
  Index plane;
  Index channels;  ///< from there on; those of the block are read
};

/// Some pixels of each channel of a block, kLanes apart, and zeros where there is none.
[[gnu::noinline]] inline void copy_part(const BlockOfPlanes& from, const float* x, Index pixels,
                                        float* to) {
  for (Index c = 0; c < kChannelBlock; ++c, to += kLanes)
    store(to, c < from.channels ? load_upto(x + c * from.plane, pixels) : Vf{});
}

/// Turns pixels of a row, from x on, into a block; zeros follow up to a multiple of kLanes.
inline void turn_row(const BlockOfPlanes& from, const float* x, Index pixels, float* to) {
  alignas(64) float part[kChannelBlock * kLanes];
  for (Index first = 0; first < pixels; first += kLanes, to += kLanes * kChannelBlock) {
    const bool whole = from.channels >= kChannelBlock && first + kLanes <= pixels;
    if (!whole) copy_part(from, x + first, pixels - first, part);
    const float* source = whole ? x + first : part;
    const Index step = whole ? from.plane : kLanes;
    for (Index lane = 0; lane < kChannelBlock; lane += kLanes) {
      Vf v[kLanes];
#pragma GCC unroll 16
      for (Index i = 0; i < kLanes; ++i) v[i] = load(source + (lane + i) * step);
      turn_square(v);
#pragma GCC unroll 16
      for (Index i = 0; i < kLanes; ++i) store(to + i * kChannelBlock + lane, v[i]);
    }
  }
}

/// Some columns of each of some rows, with their padding.
[[gnu::noinline]] inline void turn_strip(const Window& w, const BlockOfPlanes& from, Range rows,
                                         Range columns, float* strip) {
  const Index x = columns.begin, width = columns.end - x;
  const Index before = x < 0 ? -x : 0, end = min_of(width, w.in[2] - x);
  for (Index row = rows.begin; row < rows.end; ++row, strip += width * kChannelBlock) {
    if (row < 0 || row >= w.in[1] || end <= before) {
      fill_zero(strip, width * kChannelBlock);
      continue;
    }
    fill_zero(strip, before * kChannelBlock);
    turn_row(from, from.x + row * w.in[2] + x + before, end - before,
             strip + before * kChannelBlock);
    fill_zero(strip + end * kChannelBlock, (width - end) * kChannelBlock);
  }
}

template <int N>
inline void transform_planes(const WinogradTiles& t, const BlockOfPlanes& from, float* strip,
                             float* out) {
  const Index step = t.plan.step;
  for (Index first = 0, end = 0; first < t.count; first = end) {
    end = t.row_end(first);
    const Index y = t.input_row(first), x = t.input_column(first);
    const Index width = (end - first - 1) * step + N;
    turn_strip(t.window, from, {y, y + N}, {x, x + width}, strip);
    for (Index tile = first; tile < end; ++tile)
      transform_lanes<N>({strip + (tile - first) * step * kChannelBlock, width * kChannelBlock},
                         out + tile * kChannelBlock, t.plan.input_step(t.count));
  }
}

/// The image `x` of a call. A strip takes no more memory than the sums that follow, since its rows
/// have fewer pixels than their tiles have places.
template <int N>
void transform_inputs(const WinogradTiles& t, const BlockedShape& shape, const float* x,
                      float* strip, float* out) noexcept {
  const Index plane = t.window.in[1] * t.window.in[2];
  Index channels = shape.conv.in_channels;
  for (Index block = 0; block < t.plan.in_blocks; ++block, channels -= kChannelBlock) {
    if (shape.input == Layout::planes)
      transform_planes<N>(t, {x, plane, channels}, strip, out);
    else
      transform_block<N>(t, x, out);
    x += plane * kChannelBlock;
    out += t.count * kChannelBlock;
  }
}

}  // namespace
}  // namespace strata::kernels
