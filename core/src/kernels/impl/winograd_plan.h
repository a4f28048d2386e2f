#pragma once

#include "kernels/impl/blocked.h"

/// How a convolution by Winograd's method is cut into tasks, and the memory it takes.
namespace strata::kernels {
namespace {

/// Phases of tiles of a row whose outputs wait to become planes: enough for long runs of pixels.
constexpr Index kStagedPhases = 32;

struct WinogradPlan {
  Index size;  ///< inputs of a tile along an axis
  Index step;  ///< its outputs
  Index in_blocks;
  Index out_channels;  ///< whole blocks
  Index set;           ///< output channels that are made at a time: whole rows of phases
  Index columns;       ///< tiles of a row
  Index tiles;         ///< of an image
  Index most;          ///< tiles of a task, and no less for more tiles
  Index chunks;
  Index sets;   ///< of output channels, of a task
  Index parts;  ///< tasks that the output channels make

  Index places() const { return size * size; }
};

[[gnu::noinline]] inline WinogradPlan winograd_plan(const BlockedShape& shape) {
  constexpr Index kSetChannels = 32;
  constexpr Index kTileFloats = 72 * 1024;  // of transformed inputs: what a second cache has left
  constexpr Index kEnoughTasks = 4;
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
  const Index most = kTileFloats / (p.places() * p.in_blocks * kChannelBlock);
  p.most = min_of(p.tiles, most < kMaxTileRows ? kMaxTileRows : most);
  const Index sets = ceil_div(p.out_channels, p.set);
  p.chunks = p.most == 0 ? 0 : min_of(p.tiles, even_tasks(ceil_div(p.tiles, p.most), sets));
  const Index tasks = s.batch * p.chunks;
  p.sets = tasks == 0 ? sets : ceil_div(sets, ceil_div(kEnoughTasks, tasks));
  p.parts = ceil_div(sets, p.sets);
  return p;
}

/// Where the parts of the scratch of a task begin, in floats.
struct WinogradScratch {
  Index runs;    ///< offsets of the blocks of a tile
  Index inputs;  ///< [places, in_blocks, tiles, kChannelBlock]
  Index sums;    ///< [places, blocks of a set, tiles, kChannelBlock]
  Index staged;  ///< [rows of a tile, pixels of some, kChannelBlock], and what vectors read behind
  Index size;
};

inline WinogradScratch winograd_scratch_plan(const WinogradPlan& p) {
  WinogradScratch s{};
  s.inputs = round_up(p.in_blocks * static_cast<Index>(sizeof(Index) / sizeof(float)), 16);
  s.sums = s.inputs + p.places() * p.in_blocks * p.most * kChannelBlock;
  s.staged = s.sums + p.places() * p.set * p.most;
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
