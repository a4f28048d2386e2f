#pragma once

#include "kernels/impl/winograd_outputs.h"

/// Convolution by Winograd's minimal filtering: inputs of some tiles are transformed, one product
/// of matrices is made for each place of a tile, and its sums are transformed back.
namespace strata::kernels {
namespace {

/// One set of output channels of some tiles.
struct WinogradSet {
  const BlockedConv& call;
  const WinogradTiles& tiles;
  const Spread& image;
  Index number;    ///< of the image
  Range channels;  ///< of the convolution
  float* sums;     ///< [places, blocks, tiles, kChannelBlock]
  float* staged;

  /// Those of a row of phases.
  Index row_channels() const { return image.phases[1] * kChannelBlock; }
};

/// The products of one place, whose weights are [panels, in channels, panel].
inline void multiply_place(const WinogradSet& set, const float* inputs, const Index* runs,
                           const float* weights, float* sums) {
  const WinogradPlan& plan = set.tiles.plan;
  const Index plane = set.tiles.count * kChannelBlock, depth = plan.in_blocks * kChannelBlock;
  const Index channels = set.channels.end - set.channels.begin;
  for (Index c = 0; c < channels; c += kTileColumns) {
    const Index width = min_of(kTileColumns, channels - c);
    PixelTile tile{inputs, runs, plan.in_blocks, kChannelBlock, kChannelBlock, weights + c * depth};
    set_next(tile, 1, set.tiles.count, width);
    run_pixels(tile, plain_finish(sums + c / kChannelBlock * plane + c % kChannelBlock, plane),
               set.tiles.count, width);
  }
}

/// The row of phases that channels of the convolution from `c` on make.
[[gnu::noinline]] inline OutputRow row_of(const WinogradSet& set, Index c) {
  const BlockedConv& call = set.call;
  const Spread& to = set.image;
  const WinogradTiles& t = set.tiles;
  const bool to_planes = call.shape.output == Layout::planes;
  const Index channels = to_planes ? to.channels : round_up(to.channels, kChannelBlock);
  const Index row = c / set.row_channels(), channel = row / to.phases[0] * kChannelBlock;
  return {t,
          to,
          output_tile_of(t.plan.size, t.window.kernel[2]),
          call.activation,
          set.sums + (c - set.channels.begin) * t.count,
          row % to.phases[0],
          channel,
          min_of(kChannelBlock, channels - channel),
          call.y + (set.number * channels + channel) * to.size[0] * to.size[1]};
}

/// Stores the outputs of a set, a row of phases after the other.
inline void finish_set(const WinogradSet& set) {
  const BlockedConv& call = set.call;
  for (Index c = set.channels.begin; c < set.channels.end; c += set.row_channels()) {
    const OutputRow outputs = row_of(set, c);
    TileOutputs o{};
    o.place_step = set.tiles.plan.sums_step(set.tiles.count);
    o.bias = call.bias ? call.bias + outputs.channel : nullptr;
    o.residual = call.residual ? call.residual + (outputs.y - call.y) : nullptr;
    o.range = clip_range(call.activation);
    call.shape.output == Layout::planes ? finish_planes(outputs, o, set.staged)
                                        : finish_blocks(outputs, o);
  }
}

/// Fetches a part of the memory that the outputs of a set go to.
inline void fetch_set(const WinogradSet& set, Index part, Index parts) {
  for (Index c = set.channels.begin; c < set.channels.end; c += set.row_channels())
    fetch_outputs(row_of(set, c), set.call.shape.output, part, parts);
}

/// The outputs of a set from transformed inputs, [places, in_blocks, tiles, kChannelBlock]. The
/// memory of a large image is fetched behind the second half of the products.
inline void winograd_set(const WinogradSet& set, const float* inputs, const Index* runs,
                         const float* weights) {
  const WinogradPlan& plan = set.tiles.plan;
  const Index depth = plan.in_blocks * kChannelBlock, count = set.tiles.count;
  const Index half = plan.places() / 2;
  const bool fetches = is_far(set.image);
  for (Index place = 0; place < plan.places(); ++place) {
    if (fetches && place >= half) fetch_set(set, place - half, half);
    multiply_place(set, inputs, runs, weights, set.sums + place * plan.sums_step(count));
    inputs += plan.input_step(count);
    weights += (set.channels.end - set.channels.begin) * depth;
  }
  finish_set(set);
}

/// The tasks [tasks.begin, tasks.end): parts of the channels vary fastest, then tiles.
inline void winograd_conv(const BlockedConv& call, Range tasks, float* scratch) {
  const ConvShape& s = call.shape.conv;
  const WinogradPlan p = winograd_plan(call.shape);
  const WinogradScratch place = winograd_scratch_plan(p);
  const Spread to = image_of(call.shape);
  const auto transform = p.size == 4 ? transform_inputs<4> : transform_inputs<6>;
  const Index in_channels =
      call.shape.input == Layout::planes ? s.in_channels : p.in_blocks * kChannelBlock;
  const Index in_image = in_channels * s.window.in[1] * s.window.in[2];
  const Index weights = p.places() * p.in_blocks * kChannelBlock;  // of an output channel
  float *inputs = scratch + place.inputs, *sums = scratch + place.sums;
  Index* runs = reinterpret_cast<Index*>(scratch);
  Index filled = -1;
  for (Index task = tasks.begin; task < tasks.end; ++task) {
    const Index chunk = task / p.parts, image = chunk / p.chunks;
    const Range tiles = p.tiles_of(chunk % p.chunks);
    const WinogradTiles t{p, s.window, tiles.begin, tiles.end - tiles.begin};
    if (chunk != filled) {
      for (Index b = 0; b <= p.in_blocks; ++b) runs[b] = b * t.count * kChannelBlock;
      transform(t, call.shape, call.x + image * in_image, sums, inputs);
      filled = chunk;
    }
    const Index begin = task % p.parts * p.sets * p.set;
    const Index end = min_of(begin + p.sets * p.set, p.out_channels);
    for (Index c = begin; c < end; c += p.set) {
      const Range channels{c, min_of(c + p.set, end)};
      winograd_set({call, t, to, image, channels, sums, scratch + place.staged}, inputs, runs,
                   call.packed_weights + c * weights);
    }
  }
}

}  // namespace
}  // namespace strata::kernels
