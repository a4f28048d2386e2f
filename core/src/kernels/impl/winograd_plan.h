#pragma once

#include "kernels/impl/blocked.h"

/// How a convolution by Winograd's method is cut into tasks, and the memory it takes.
namespace strata::kernels {
namespace {

constexpr Index kSetChannels = 32;  ///< output channels that are made at a time

struct WinogradPlan {
  Index in_blocks;
  Index out_channels;  ///< whole blocks
  Index columns;       ///< tiles of a row
  Index tiles;         ///< of an image
  Index most;          ///< tiles of a task, and no less for more tiles
  Index chunks;
  Index sets;   ///< of output channels, of a task
  Index parts;  ///< tasks that the output channels make
};

inline WinogradPlan winograd_plan(const ConvShape& s, Index m) {
  constexpr Index kTileFloats = 72 * 1024;  // of transformed inputs: what a second cache has left
  constexpr Index kEnoughTasks = 4;
  const Index places = (m + 2) * (m + 2);
  WinogradPlan p{};
  p.in_blocks = ceil_div(s.in_channels, kChannelBlock);
  p.out_channels = round_up(s.out_channels, kChannelBlock);
  p.columns = ceil_div(s.window.out[2], m);
  p.tiles = p.columns * ceil_div(s.window.out[1], m);
  const Index most = kTileFloats / (places * p.in_blocks * kChannelBlock);
  p.most = min_of(p.tiles, most < kMaxTileRows ? kMaxTileRows : most);
  const Index sets = ceil_div(p.out_channels, kSetChannels);
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
  Index size;
};

inline WinogradScratch winograd_scratch_plan(const WinogradPlan& p, Index m) {
  const Index places = (m + 2) * (m + 2);
  WinogradScratch s{};
  s.inputs = round_up(p.in_blocks * static_cast<Index>(sizeof(Index) / sizeof(float)), 16);
  s.sums = s.inputs + places * p.in_blocks * p.most * kChannelBlock;
  s.size = s.sums + places * kSetChannels * p.most;
  return s;
}

inline Index winograd_weights_size(const ConvShape& s, Index m) {
  const WinogradPlan p = winograd_plan(s, m);
  return (m + 2) * (m + 2) * p.out_channels * p.in_blocks * kChannelBlock;
}

inline Index winograd_tasks(const ConvShape& s, Index m) {
  const WinogradPlan p = winograd_plan(s, m);
  return s.batch * p.chunks * p.parts;
}

inline std::size_t winograd_scratch(const ConvShape& s, Index m) {
  return static_cast<std::size_t>(winograd_scratch_plan(winograd_plan(s, m), m).size) *
         sizeof(float);
}

}  // namespace
}  // namespace strata::kernels
