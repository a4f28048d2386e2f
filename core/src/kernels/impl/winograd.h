#pragma once

#include "kernels/impl/blocked_direct.h"
#include "kernels/impl/blocked_planes.h"
#include "kernels/impl/winograd_plan.h"
#include "kernels/impl/winograd_transform.h"

/// Convolution by Winograd's minimal filtering: inputs of some tiles are transformed, one product of
/// matrices is made for each of the (m + 2)^2 places of a tile, and its sums are transformed back.
namespace strata::kernels {
namespace {

/// The tiles that a task makes.
struct WinogradTiles {
  const WinogradPlan& plan;
  const Window& window;
  Index first;
  Index count;

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
template <int M>
inline void transform_patch(const float* patch, Index row_step, float* out, Index place_step) {
  constexpr int N = M + 2;
  Vf columns[N][N];
#pragma GCC unroll 6
  for (int j = 0; j < N; ++j) {
    Vf d[N], t[N];
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) d[i] = load(patch + i * row_step + j * kChannelBlock);
    Winograd<M>::input(d, t);
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) columns[i][j] = t[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
    Vf t[N];
    Winograd<M>::input(columns[i], t);
#pragma GCC unroll 6
    for (int j = 0; j < N; ++j) store(out + (i * N + j) * place_step, t[j]);
  }
}

template <int M>
inline void transform_inputs(const WinogradTiles& t, const float* x, float* out) {
  constexpr int N = M + 2;
  alignas(64) float copy[N * N * kChannelBlock];
  const Window& w = t.window;
  const Index place_step = t.plan.in_blocks * t.count * kChannelBlock;
  for (Index block = 0; block < t.plan.in_blocks; ++block) {
    const float* plane = x + block * w.in[1] * w.in[2] * kChannelBlock;
    for (Index tile = 0; tile < t.count; ++tile, out += kChannelBlock) {
      Index row_step = 0;
      const float* patch = tile_patch<N>(w, plane, t.row(tile) * M - w.pad[1],
                                         t.column(tile) * M - w.pad[2], copy, row_step);
      for (Index lane = 0; lane < kChannelBlock; lane += kLanes)
        transform_patch<M>(patch + lane, row_step, out + lane, place_step);
    }
  }
}

/// A^T m A of some lanes of one tile.
template <int M>
inline void transform_sums(const float* sums, Index place_step, Vf (&out)[M][M]) {
  constexpr int N = M + 2;
  Vf rows[M][N];
#pragma GCC unroll 6
  for (int j = 0; j < N; ++j) {
    Vf m[N], t[M];
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) m[i] = load(sums + (i * N + j) * place_step);
    Winograd<M>::output(m, t);
#pragma GCC unroll 6
    for (int i = 0; i < M; ++i) rows[i][j] = t[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < M; ++i) Winograd<M>::output(rows[i], out[i]);
}

/// One block of output channels of one image.
struct WinogradBlock {
  const float* sums;  ///< [places, tiles, kChannelBlock]
  Index place_step;
  const float* bias;      ///< or null
  const float* residual;  ///< as `y`, or null
  float* y;               ///< the image, or a part of it
  Index row_step;         ///< floats between its rows
};

/// Stores the outputs of one tile that lie in the image; `first` is where they begin in y.
template <int M>
[[gnu::noinline]] inline void finish_tile(const UnaryFunction& activation, const WinogradTiles& t,
                                          Index tile, const WinogradBlock& b, Index first) {
  const Window& w = t.window;
  const ClipRange range = clip_range(activation);
  const Index rows = min_of(M, w.out[1] - t.row(tile) * M);
  const Index columns = min_of(M, w.out[2] - t.column(tile) * M);
  for (Index lane = 0; lane < kChannelBlock; lane += kLanes) {
    Vf out[M][M];
    transform_sums<M>(b.sums + tile * kChannelBlock + lane, b.place_step, out);
    const Vf add = b.bias ? load(b.bias + lane) : Vf{};
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) {
        const Index pixel = first + i * b.row_step + j * kChannelBlock + lane;
        Vf value = out[i][j] + add;
        if (b.residual) value += load(b.residual + pixel);
        store(b.y + pixel, clip(value, range.low, range.high));
      }
  }
  for (Index i = 0; i < rows; ++i)
    activate_run(activation, b.y + first + i * b.row_step, columns * kChannelBlock);
}

template <int M>
inline void finish_blocks(const UnaryFunction& activation, const WinogradTiles& t,
                          const WinogradBlock& b) {
  for (Index tile = 0; tile < t.count; ++tile)
    finish_tile<M>(activation, t, tile, b,
                   t.row(tile) * M * b.row_step + t.column(tile) * M * kChannelBlock);
}

/// Some tiles of a row at a time, from a near cache to `to`, the planes of the image.
template <int M>
inline void finish_planes(const UnaryFunction& activation, const WinogradTiles& t, WinogradBlock b,
                          const PlaneRows& to) {
  constexpr Index kTogether = 8;
  alignas(64) float staged[M * M * kTogether * kChannelBlock];
  const Window& w = t.window;
  b.y = staged;
  b.row_step = M * kTogether * kChannelBlock;
  for (Index tile = 0; tile < t.count;) {
    const Index row = t.row(tile) * M, column = t.column(tile) * M;
    const Index end = min_of(t.count, tile + min_of(kTogether, t.plan.columns - t.column(tile)));
    for (Index first = 0; tile < end; ++tile, first += M * kChannelBlock)
      finish_tile<M>(activation, t, tile, b, first);
    const Index columns = min_of(t.column(end - 1) * M + M, w.out[2]) - column;
    for (Index i = 0; i < min_of(M, w.out[1] - row); ++i)
      store_planes(staged + i * b.row_step, columns,
                   {to.y + (row + i) * w.out[2] + column, to.step, to.channels});
  }
}

/// The products of one set of output channels, from `first` on, whose weights are
/// [places, panels, in channels, panel].
template <int M>
inline void multiply_set(const WinogradTiles& t, const float* inputs, const Index* runs,
                         const float* weights, Index channels, float* sums) {
  constexpr Index places = (M + 2) * (M + 2);
  const Index depth = t.plan.in_blocks * kChannelBlock, plane = t.count * kChannelBlock;
  for (Index place = 0; place < places; ++place) {
    PixelTile tile{inputs + place * t.plan.in_blocks * plane,
                   runs,
                   t.plan.in_blocks,
                   kChannelBlock,
                   kChannelBlock,
                   weights};
    for (Index c = 0; c < channels; c += kTileColumns) {
      const Index width = min_of(kTileColumns, channels - c);
      tile.weights = weights + c * depth;
      run_pixels(tile, plain_finish(sums + c / kChannelBlock * plane + c % kChannelBlock, plane),
                 t.count, width);
    }
    weights += channels * depth;
    sums += kSetChannels / kChannelBlock * plane;
  }
}

template <int M>
inline void winograd_set(const BlockedConv& call, const WinogradTiles& t, Index image, Index first,
                         const WinogradScratch& place, float* scratch) {
  constexpr Index places = (M + 2) * (M + 2);
  const WinogradPlan& p = t.plan;
  const Index channels = min_of(kSetChannels, p.out_channels - first);
  float* sums = scratch + place.sums;
  multiply_set<M>(t, scratch + place.inputs, reinterpret_cast<const Index*>(scratch),
                  call.packed_weights + places * first * p.in_blocks * kChannelBlock, channels,
                  sums);
  const Index plane = t.count * kChannelBlock, out_plane = t.window.out[1] * t.window.out[2];
  const bool to_planes = call.shape.output == Layout::planes;
  const Index out_channels = to_planes ? call.shape.conv.out_channels : p.out_channels;
  for (Index c = 0; c < channels; c += kChannelBlock) {
    const Index channel = first + c, at = (image * out_channels + channel) * out_plane;
    const WinogradBlock block{sums + c / kChannelBlock * plane,
                              kSetChannels / kChannelBlock * plane,
                              call.bias ? call.bias + channel : nullptr,
                              call.residual ? call.residual + at : nullptr,
                              call.y + at,
                              t.window.out[2] * kChannelBlock};
    if (to_planes)
      finish_planes<M>(call.activation, t, block,
                       {block.y, out_plane, min_of(kChannelBlock, out_channels - channel)});
    else
      finish_blocks<M>(call.activation, t, block);
  }
}

/// The tasks [tasks.begin, tasks.end): parts of the channels vary fastest, then tiles.
template <int M>
inline void winograd_conv(const BlockedConv& call, Range tasks, float* scratch) {
  const ConvShape& s = call.shape.conv;
  const WinogradPlan p = winograd_plan(s, M);
  const WinogradScratch place = winograd_scratch_plan(p, M);
  Index* runs = reinterpret_cast<Index*>(scratch);
  Index filled = -1;
  for (Index task = tasks.begin; task < tasks.end; ++task) {
    const Index chunk = task / p.parts, image = chunk / p.chunks;
    const Range tiles = part_of_whole(p.tiles, chunk % p.chunks, p.chunks);
    const WinogradTiles t{p, s.window, tiles.begin, tiles.end - tiles.begin};
    if (chunk != filled) {
      for (Index b = 0; b < p.in_blocks; ++b) runs[b] = b * t.count * kChannelBlock;
      const Index in_image = p.in_blocks * s.window.in[1] * s.window.in[2] * kChannelBlock;
      transform_inputs<M>(t, call.x + image * in_image, scratch + place.inputs);
      filled = chunk;
    }
    const Index begin = task % p.parts * p.sets * kSetChannels;
    const Index end = min_of(begin + p.sets * kSetChannels, p.out_channels);
    for (Index c = begin; c < end; c += kSetChannels)
      winograd_set<M>(call, t, image, c, place, scratch);
  }
}

}  // namespace
}  // namespace strata::kernels
