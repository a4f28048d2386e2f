#pragma once

#include "kernels/impl/blocked.h"

/// How a convolution by Winograd's method is cut into tasks, and the memory it takes.
namespace strata::kernels {
namespace {

/// Phases of tiles of a row whose outputs wait to become planes: enough for long runs of pixels.
constexpr Index kStagedPhases = 64;

struct WinogradPlan {
  Index size;  ///< inputs of a tile along an axis
  Index step;  ///< its outputs
  Index in_blocks;
  Index out_channels;  ///< whole blocks
  Index set;           ///< output channels that are made at a time: whole rows of phases
  Index columns;       ///< tiles of a row
  Index tiles;         ///< of an image
  Index most;          ///< tiles of a task
  Index unit;          ///< tiles that chunks are made of: one, or a row of them
  Index chunks;
  Index sets;   ///< of output channels, of a task
  Index parts;  ///< tasks that the output channels make

  Index places() const { return size * size; }
  /// The tiles of a chunk.
  Range tiles_of(Index chunk) const {
    const Range units = part_of_whole(tiles / unit, chunk, chunks);
    return {units.begin * unit, units.end * unit};
  }
  /// Floats between two places of the transformed inputs of some tiles, and of their sums.
  Index input_step(Index count) const { return odd_blocks(in_blocks * count); }
  Index sums_step(Index count) const { return odd_blocks(set / kChannelBlock * count); }

  /// Floats of that many blocks, or one more: what lies an odd number of lines apart spreads over
  /// all sets of a cache, and a tile has something in each place.
  static Index odd_blocks(Index blocks) { return (blocks | 1) * kChannelBlock; }
};

/// Cuts the tiles of an image into chunks. Outputs are stored by rows: where threads share rows of
/// tiles evenly, a chunk is some of them, or one of the equal parts of a long one.
inline void cut_tiles(Index sets, WinogradPlan& p) {
  constexpr Index kManyRows = 24;  // one more or less of them matters little
  p.unit = 1;
  if (p.tiles == 0) return;
  const Index rows = p.tiles / p.columns, parts = ceil_div(p.columns, p.most);
  const bool by_rows = rows % 4 == 0 || rows >= kManyRows;
  if (by_rows && parts > 1) {
    p.chunks = rows * parts;
    return;
  }
  if (by_rows) p.unit = p.columns;
  const Index units = p.tiles / p.unit;
  p.chunks = min_of(units, even_tasks(ceil_div(units, p.most / p.unit), sets));
}

[[gnu::noinline]] inline WinogradPlan winograd_plan(const BlockedShape& shape) {
  constexpr Index kSetChannels = 32;  // two of the longest vectors: a tile's with AVX-512
  // Of transformed inputs: what a second cache has left, or all of a larger one, where weights that
  // come from further away are then read less often.
  constexpr Index kTileFloats = 72 * 1024, kFarTileFloats = 2 * kTileFloats;
  constexpr Index kEnoughTasks = 4;  // of which two threads, or four, get as many each
  const ConvShape& s = shape.conv;
  WinogradPlan p{};
  p.size = shape.method == BlockedMethod::winograd2 ? 4 : 6;
  p.step = p.size + 1 - s.window.kernel[2];
  p.in_blocks = ceil_div(s.in_channels, kChannelBlock);
  p.out_channels = round_up(s.out_channels, kChannelBlock);
  const Index phases = shape.spread.phases[1] * kChannelBlock;
  p.set = phases < kSetChannels ? kSetChannels : phases;
  p.columns = ceil_div(s.window.out[2], p.step);
  p.tiles = p.columns * ceil_div(s.window.out[1], p.step);
  const Index tile = p.places() * p.in_blocks * kChannelBlock;  // or the weights of a channel
  const Index most = (tile * p.out_channels >= kFarFloats ? kFarTileFloats : kTileFloats) / tile;
  p.most = min_of(p.tiles, most < kMaxTileRows ? kMaxTileRows : most);
  const Index sets = ceil_div(p.out_channels, p.set);
  cut_tiles(sets, p);
  const Index tasks = s.batch * p.chunks;
  p.sets = tasks == 0 ? sets : ceil_div(sets, ceil_div(kEnoughTasks, tasks));
  p.parts = ceil_div(sets, p.sets);
  return p;
}

/// Where the parts of the scratch of a task begin, in floats.
struct WinogradScratch {
  Index runs;    ///< offsets of the blocks of a tile, and where they end
  Index inputs;  ///< [places, in_blocks, tiles, kChannelBlock], places input_step apart
  Index sums;    ///< [places, blocks of a set, tiles, kChannelBlock]; a strip before there are any
  Index staged;  ///< [rows of a tile, pixels of some, kChannelBlock], and what vectors read behind
  Index size;
};

inline WinogradScratch winograd_scratch_plan(const WinogradPlan& p) {
  WinogradScratch s{};
  s.inputs = round_up((p.in_blocks + 1) * static_cast<Index>(sizeof(Index) / sizeof(float)), 16);
  s.sums = s.inputs + p.places() * p.input_step(p.most);
  s.staged = s.sums + p.places() * p.sums_step(p.most);
  s.size = s.staged + (p.step * p.step * kStagedPhases + kLanes) * kChannelBlock;
  return s;
}

inline Index winograd_weights_size(const BlockedShape& shape) {
  const WinogradPlan p = winograd_plan(shape);
  return p.places() * p.out_channels * p.in_blocks * kChannelBlock;
}

inline Index winograd_tasks(const BlockedShape& shape) {
  const WinogradPlan p = winograd_plan(shape);
  return shape.conv.batch * p.chunks * p.parts;
}

inline std::size_t winograd_scratch(const BlockedShape& shape) {
  return static_cast<std::size_t>(winograd_scratch_plan(winograd_plan(shape)).size) * sizeof(float);
}

}  // namespace
}  // namespace strata::kernels
