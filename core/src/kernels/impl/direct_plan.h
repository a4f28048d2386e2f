#pragma once

#include "kernels/impl/direct_channels.h"

/// How a direct convolution from or to a blocked image is cut into tasks, and where each keeps what
/// it reads and adds up.
namespace strata::kernels {
namespace {

constexpr Index kChunkFloats = 48 * 1024;  ///< of the input of a pass: a part of a second cache

/// Floats of the weights of a pass, about: a second cache holds those that all rows take beside
/// those that are fetched for the next pass, and the first those of a tap, which tiles of few
/// pixels take.
constexpr Index kPassFloats = 32 * 1024, kTapPassFloats = 4 * 1024;

/// Output channels of a task: a panel, or the panels of a block.
constexpr Index kTaskChannels = kTileColumns < kChannelBlock ? kChannelBlock : kTileColumns;

/// Tasks, and of what each is a part.
struct DirectTasks {
  Index slices;   ///< of an image's outputs
  Index chunks;   ///< of the rows of a slice
  Index cuts;     ///< of the columns of a row
  Index unit;     ///< columns that are not cut: a tile, or as many as end with a line of planes too
  Index columns;  ///< of a task, at most
  Index parts;    ///< of the output channels
};

/// The inputs that a task reads of each unit and slice, at most, with padding.
struct DirectReads {
  Index rows;
  Index columns;
  bool skips_taps;      ///< whether taps that read padding are left out
  bool skips_rows;      ///< whether rows of the kernel that do are
  bool copies_padding;  ///< else there is none, or it is not read
};

/// Where sums are made, and in how many passes.
struct DirectSums {
  bool in_place;  ///< in y
  Index kept;     ///< pixels of a panel that are kept in other memory until they go to planes
  Index passes;   ///< that the runs are added up in; of each tap where taps are skipped
};

/// How a direct convolution is computed.
struct DirectPlan {
  DirectChannels channels;
  DirectTasks tasks;
  DirectReads reads;
  DirectSums sums;
  DirectWeights weights;
  bool taps_first;  ///< in the weights, and in lists of runs
};

/// Whether taps along the axis often read padding: a sixth of them or more where it goes around the
/// input.
inline bool reaches_far(const Window& w, int axis) {
  return has_padding(w) && 2 * (reach_of(w, axis) - 1) >= w.in[axis];
}

constexpr Index kLeastTapPixels = 4;  ///< of a row, for a tap to be taken where it counts in alone

/// Whether the weights of a tap lie side by side, so that it can be left out: where few of the
/// inputs of a row of outputs are those of another tap too. Known of a kernel whatever the image,
/// and whichever way it is turned.
inline bool has_taps_first(const BlockedShape& shape) {
  const Window& w = shape.conv.window;
  return shape.input == Layout::blocks && !joins_groups(shape.conv) &&
         max_of(w.dilation[1], w.dilation[2]) >= kLeastTapPixels;
}

/// Whether each tap is taken where it reads inputs alone. Then outputs of a row that a tap counts
/// in are tiles of their own: as many as a dilation, where that is less than a row.
inline bool skips_taps(const BlockedShape& shape) {
  const Window& w = shape.conv.window;
  return has_taps_first(shape) && (reaches_far(w, 1) || reaches_far(w, 2)) &&
         (w.kernel[2] == 1 || w.dilation[2] >= kLeastTapPixels);
}

/// Inputs along an axis that so many outputs read.
inline Index inputs_of(const Window& w, int axis, Index outputs) {
  return (outputs - 1) * w.stride[axis] + reach_of(w, axis);
}

/// The outputs of a part of a row: whole tiles but for the last.
inline Range cut_columns(const Window& w, const DirectTasks& t, Index cut) {
  const Range units = part_of_whole(ceil_div(w.out[2], t.unit), cut, t.cuts);
  return {units.begin * t.unit, min_of(units.end * t.unit, w.out[2])};
}

/// What the work is cut by.
struct DirectMeasures {
  const Window& w;
  Index column_floats;  ///< inputs, of all channels, that a column of outputs adds
  bool skips_taps;

  /// Floats of the input of a task. A pass reads those of its channels alone, and the deeper the
  /// sums are, the more weights have to come from memory for each task.
  Index chunk_floats(Index passes) const {
    return skips_taps ? kChunkFloats : kChunkFloats * passes;
  }
  /// Of a row, the outputs of a task at most: whole tiles of so many that a cache holds their
  /// inputs, and reading all weights takes little of the time.
  [[gnu::cold]] Index most_columns() const {
    constexpr Index kLeastColumns = 48;
    if (skips_taps) return round_up(w.out[2], kMaxTileRows);
    const Index inputs = kChunkFloats / max_of(column_floats, 1) - reach_of(w, 2);
    return max_of(kLeastColumns, inputs / w.stride[2] + 1) / kMaxTileRows * kMaxTileRows;
  }
};

/// Sums of one pass go to planes at once.
inline DirectSums sums_of(const DirectMeasures& m, Layout output, Index depth) {
  const Window& w = m.w;
  const Index floats = depth * kTileColumns;
  DirectSums s{};
  s.in_place = output == Layout::blocks;
  s.passes = m.skips_taps ? max_of(floats / (w.kernel[1] * w.kernel[2]) / kTapPassFloats, 1)
                          : max_of(floats / kPassFloats, 1);
  if (!s.in_place && (m.skips_taps || w.kernel[0] > 1 || s.passes > 1)) {
    const Index held = m.chunk_floats(s.passes) / max_of(m.column_floats * w.kernel[0], 1);
    const Index of_row = min_of(w.out[2], m.most_columns());
    s.kept = round_up(min_of(w.out[1] * w.out[2], max_of(held, of_row)), kLanes);
  }
  return s;
}

/// Rows are cut where a few of them are more than the `chunk` that a task is to read, evenly if the
/// parts of the channels are few; a single row is cut as evenly.
inline DirectTasks tasks_of(const DirectMeasures& m, Index chunk, Index out_channels) {
  const Window& w = m.w;
  DirectTasks t{};
  t.slices = w.out[0];
  t.parts = ceil_div(out_channels, kTaskChannels);
  const Index most = m.most_columns(), line = kLineFloats / 2 * kMaxTileRows;
  t.unit = min_of(most, w.out[2] / 16) < line ? kMaxTileRows : line;
  const Index units = ceil_div(w.out[2], t.unit);
  t.cuts = ceil_div(units, max_of(most / t.unit, 1));
  if (w.out[1] == 1 && !m.skips_taps) t.cuts = min_of(units, even_tasks(t.cuts, t.parts));
  t.columns = min_of(w.out[2], ceil_div(units, max_of(t.cuts, 1)) * t.unit);
  const Index row_floats = m.column_floats * inputs_of(w, 2, t.columns);
  const Index chunks = ceil_div(w.out[1], max_of(chunk / max_of(row_floats * w.kernel[0], 1), 1));
  t.chunks = min_of(w.out[1], t.parts < kManyParts ? even_tasks(chunks, t.parts) : chunks);
  if (shares_rows(w)) t.chunks = max_of(t.chunks, 2);
  return t;
}

/// Made anew for each call: compiled for size, as most of it is divisions.
[[gnu::cold]] inline DirectPlan direct_plan(const BlockedShape& shape) {
  const Window w = as_computed(shape).window;
  const bool skips = skips_taps(shape);
  DirectPlan p{};
  p.taps_first = has_taps_first(shape);
  p.channels = channels_of(shape);
  p.weights = weights_of(p.channels, w);
  const DirectMeasures measures{w, p.channels.units * p.channels.unit * w.stride[1], skips};
  p.sums = sums_of(measures, shape.output, p.weights.depth);
  p.tasks = tasks_of(measures, measures.chunk_floats(p.sums.passes), p.channels.outputs);
  const Index rows = ceil_div(w.out[1], max_of(p.tasks.chunks, 1));
  const bool copies = !skips && has_padding(w);
  const bool keeps_sums = p.sums.in_place || p.sums.kept > 0;
  const bool skips_rows = !kForSize && copies && keeps_sums && !p.taps_first &&
                          p.channels.unit > 1 && w.dilation[1] == 1;
  p.reads = {inputs_of(w, 1, rows), inputs_of(w, 2, p.tasks.columns), skips, skips_rows, copies};
  return p;
}

/// Taps for which each run of channels is listed: all of them; where taps are skipped, one; of
/// planes, one for each row of the kernel.
inline Index listed_taps(const BlockedShape& shape, const DirectPlan& p) {
  const Window& w = shape.conv.window;
  if (p.reads.skips_taps) return 1;
  return w.kernel[1] * (shape.input == Layout::blocks ? w.kernel[2] : 1);
}

inline Index run_count(const BlockedShape& shape, const DirectPlan& p) {
  return p.channels.runs * listed_taps(shape, p);
}

/// Numbers of a list of runs, the first of which ends it too.
inline Index list_size(const BlockedShape& shape, const DirectPlan& p) {
  return round_up(run_count(shape, p) + 1, 8);
}

[[gnu::cold]] inline std::size_t direct_scratch(const BlockedShape& shape) {
  const DirectPlan p = direct_plan(shape);
  const Window w = as_computed(shape).window;
  Index copy = 0;
  if (!p.reads.skips_taps && (p.reads.copies_padding || volume(w.kernel) > 1)) {
    const Index row = p.channels.units * p.channels.unit * p.reads.columns, reach = reach_of(w, 1);
    const Index chunk = max_of(row * w.stride[1], kChunkFloats * p.sums.passes);
    copy = w.kernel[0] * min_of(chunk + row * reach, row * ((w.out[1] - 1) * w.stride[1] + reach));
  }
  return static_cast<std::size_t>(copy + p.sums.kept * kTaskChannels) * sizeof(float) +
         static_cast<std::size_t>(list_size(shape, p)) * sizeof(Index);
}

}  // namespace
}  // namespace strata::kernels
