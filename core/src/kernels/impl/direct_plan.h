#pragma once

#include <utility>

#include "kernels/impl/blocked.h"

/// How a direct convolution from or to a blocked image is cut into tasks, and in which order its weights are packed.
namespace strata::kernels {
namespace {

constexpr Index kChunkFloats = 48 * 1024;  ///< of the input of a task: a part of a second cache

/// Floats of the weights of a pass, about: a second cache holds those that all rows take, and the first those of a
/// tap, which tiles of few pixels take.
constexpr Index kPassFloats = 64 * 1024, kTapPassFloats = 4 * 1024;

/// Output channels of a task: a panel, or the panels of a block.
constexpr Index kTaskChannels = kTileColumns < kChannelBlock ? kChannelBlock : kTileColumns;

/// The part of a convolution that one task computes the rows of.
struct DirectPlan {
  Index unit;        ///< floats of an input pixel that lie side by side
  Index units;       ///< blocks of input channels of a group; channels of planes
  Index run;         ///< floats of a unit that are multiplied at a time
  Index runs;        ///< of them in a group: half a block at the end may be left out
  Index out_blocks;  ///< channels of a group, whole blocks
  Index slices;      ///< of an image's outputs, tasks of their own
  Index chunks;      ///< tasks that the rows make
  Index columns;     ///< outputs of a row in a task, at most
  Index cuts;        ///< tasks that the columns make
  Index parts;       ///< tasks that the channels make
  Index in_rows;     ///< input rows of a task, at most
  Index in_columns;  ///< and their length, at most, both with padding
  bool skips;        ///< whether taps that read padding are left out
  bool copies;       ///< whether padding is copied
  bool in_place;     ///< whether sums are made in y
  Index kept;    ///< pixels of a panel whose sums are kept in other memory until they go to planes
  Index passes;  ///< that the runs are added up in; of each tap where taps are skipped
  Index depth;   ///< products of an output with a slice of the kernel
  Index weight_step;  ///< floats of the weights of a group
};

/// Inputs along an axis from the first tap to the last.
inline Index reach_of(const Window& w, int axis) {
  return (w.kernel[axis] - 1) * w.dilation[axis] + 1;
}

inline bool has_padding(const Window& w) {
  for (int i = 1; i < 3; ++i) {
    const Index last = (w.out[i] - 1) * w.stride[i] + reach_of(w, i);
    if (w.pad[i] != 0 || last > w.in[i]) return true;
  }
  return false;
}

/// Whether taps along the axis often read padding: a sixth of them or more where it goes around the input.
inline bool reaches_far(const Window& w, int axis) {
  return has_padding(w) && 2 * (reach_of(w, axis) - 1) >= w.in[axis];
}

constexpr Index kLeastTapPixels = 4;  ///< of a row, for a tap to be taken where it counts in alone

/// Whether the weights of a tap lie side by side, so that it can be left out: where few of the inputs of a row of
/// outputs are those of another tap too. Known of a kernel whatever the image, and whichever way it is turned.
inline bool has_taps_first(const BlockedShape& shape) {
  const Window& w = shape.conv.window;
  return shape.input == Layout::blocks && max_of(w.dilation[1], w.dilation[2]) >= kLeastTapPixels;
}

/// Whether each tap is taken where it reads inputs alone. Then outputs of a row that a tap counts in are tiles of
/// their own: as many as a dilation, where that is less than a row. No longer so for longer axes.
inline bool skips_taps(const BlockedShape& shape) {
  const Window& w = shape.conv.window;
  return has_taps_first(shape) && (reaches_far(w, 1) || reaches_far(w, 2)) &&
         (w.kernel[2] == 1 || w.dilation[2] >= kLeastTapPixels);
}

/// A convolution whose slices, of rows that are short and leave an eighth of their tiles empty, are rows themselves where
/// the window does not mind, and one row where it has one tap. Sums of several slices that go to planes keep their rows.
inline ConvShape with_long_rows(const BlockedShape& shape) {
  constexpr Index kShortRow = 16;
  ConvShape s = shape.conv;
  Window& w = s.window;
  const bool is_one = is_pointwise(w);
  const bool is_row = w.kernel[1] * w.kernel[2] == 1 && w.stride[1] * w.stride[2] == 1 &&
                      !has_padding(w) && shape.output == Layout::blocks;
  if (!is_one && !is_row) return s;
  if (w.out[2] > kShortRow || 8 * panel_rows(w.out[2]) >= 7 * kMaxTileRows) return s;
  for (int axis = 1; axis >= (is_one ? 0 : 1); --axis) {
    w.in[2] *= std::exchange(w.in[axis], 1);
    w.out[2] *= std::exchange(w.out[axis], 1);
  }
  return s;
}

/// Halves of blocks where that saves a fifth of the products or more.
inline Index run_size(Index channels, Index unit) {
  const Index half = unit / 2, halves = half == 0 ? 0 : ceil_div(channels, half);
  return halves % 2 == 1 && halves < 5 ? half : unit;
}

/// How many outputs of a row to compute at a time, from inputs of so many floats a column: a cache holds
/// those, and reading all weights takes little of the time.
inline Index most_columns(const Window& w, Index column_floats) {
  constexpr Index kLeastColumns = 48;
  const Index inputs = kChunkFloats / max_of(column_floats, 1) - reach_of(w, 2);
  return max_of(kLeastColumns, inputs / w.stride[2] + 1);
}

/// Pixels of the rows of a task, at most; no less for longer axes.
inline Index most_pixels(const Window& w, Index column_floats) {
  const Index held = kChunkFloats / max_of(column_floats * w.kernel[0], 1);
  return min_of(w.out[1] * w.out[2], max_of(held, w.out[2]));
}

inline DirectPlan direct_plan(const BlockedShape& shape) {
  const ConvShape s = with_long_rows(shape);
  const Window& w = s.window;
  DirectPlan p{};
  p.unit = shape.input == Layout::blocks ? kChannelBlock : 1;
  p.units = ceil_div(s.in_channels, p.unit);
  p.run = run_size(s.in_channels, p.unit);
  p.runs = ceil_div(s.in_channels, p.run);
  p.out_blocks = round_up(s.out_channels, kChannelBlock);
  p.skips = skips_taps(shape);
  p.copies = !p.skips && has_padding(w);
  const Index column_floats = p.units * p.unit * w.stride[1];
  p.parts = ceil_div(p.out_blocks, kTaskChannels);
  p.slices = w.out[0];
  p.columns = p.skips ? w.out[2] : min_of(w.out[2], most_columns(w, column_floats));
  p.cuts = ceil_div(w.out[2], max_of(p.columns, 1));
  if (w.out[1] == 1 && is_pointwise(w)) {
    p.cuts = min_of(ceil_div(w.out[2], kMaxTileRows), even_tasks(p.cuts, p.parts));
    p.columns = ceil_div(w.out[2], max_of(p.cuts, 1));
  }
  p.in_columns = (p.columns - 1) * w.stride[2] + reach_of(w, 2);
  const Index row_floats = column_floats * p.in_columns;
  const Index most = kChunkFloats / max_of(row_floats * w.kernel[0], 1);
  p.chunks = w.out[1] == 0 ? 0 : ceil_div(w.out[1], most < 1 ? 1 : most);
  p.chunks = min_of(w.out[1], even_tasks(p.chunks, p.parts));
  if (shares_rows(w)) p.chunks = max_of(p.chunks, 2);
  const Index rows = p.chunks == 0 ? 0 : ceil_div(w.out[1], p.chunks);
  p.in_rows = (rows - 1) * w.stride[1] + reach_of(w, 1);
  p.depth = p.runs * p.run * w.kernel[1] * w.kernel[2];
  p.in_place = shape.output == Layout::blocks;
  if (!p.in_place && (p.skips || w.kernel[0] > 1))
    p.kept = round_up(most_pixels(w, column_floats), kLanes);
  if (p.skips)
    p.passes = max_of(p.runs * p.run * kTileColumns / kTapPassFloats, 1);
  else
    p.passes = p.in_place ? max_of(p.depth * kTileColumns / kPassFloats, 1) : 1;
  p.weight_step = p.out_blocks * p.depth * w.kernel[0];
  return p;
}

/// Runs: all taps of each block; where taps are skipped, one of them; of planes, the taps of one row of the
/// kernel at a time.
inline Index run_count(const BlockedShape& shape, const DirectPlan& p) {
  const Window& w = shape.conv.window;
  if (p.skips) return p.runs;
  return p.runs * w.kernel[1] * (shape.input == Layout::blocks ? w.kernel[2] : 1);
}

/// Numbers of a list of runs.
inline Index list_size(const BlockedShape& shape, const DirectPlan& p) {
  return round_up(run_count(shape, p), 8);
}

/// No less for longer axes.
inline std::size_t direct_scratch(const BlockedShape& shape) {
  const DirectPlan p = direct_plan(shape);
  const ConvShape s = with_long_rows(shape);
  const Window& w = s.window;
  Index copy = 0;
  if (!p.skips && (p.copies || volume(w.kernel) > 1)) {
    const Index row = p.units * p.unit * p.in_columns, reach = reach_of(w, 1);
    const Index chunk = row * w.stride[1] > kChunkFloats ? row * w.stride[1] : kChunkFloats;
    copy = w.kernel[0] * min_of(chunk + row * reach, row * ((w.out[1] - 1) * w.stride[1] + reach));
  }
  return static_cast<std::size_t>(copy + p.kept * kTaskChannels) * sizeof(float) +
         static_cast<std::size_t>(list_size(shape, p)) * sizeof(Index);
}

}  // namespace
}  // namespace strata::kernels
