#pragma once

#include "kernels/impl/blocked_planes.h"

/// Direct convolution from or to a blocked image, some rows of outputs or a part of a long one at a time, whose inputs are first
/// copied with their padding where there is any. Of a kernel that reaches far into it, only the taps that
/// read inputs are taken.
namespace strata::kernels {
namespace {

constexpr Index kChunkFloats = 48 * 1024;  ///< of the input of a task: a part of a second cache

/// Output channels of a task: a panel, or the panels of a block.
constexpr Index kTaskChannels = kTileColumns < kChannelBlock ? kChannelBlock : kTileColumns;

/// The part of a convolution that one task computes the rows of.
struct DirectPlan {
  Index unit;         ///< floats of an input pixel that lie side by side
  Index units;        ///< blocks of input channels of a group; channels of planes
  Index run;          ///< floats of a unit that are multiplied at a time
  Index runs;         ///< of them in a group: half a block at the end may be left out
  Index out_blocks;   ///< channels of a group, whole blocks
  Index chunks;       ///< tasks that the rows make
  Index columns;      ///< outputs of a row in a task, at most
  Index cuts;         ///< tasks that the columns make
  Index parts;        ///< tasks that the channels make
  Index in_rows;      ///< input rows of a task, at most
  Index in_columns;   ///< and their length, at most, both with padding
  bool skips;         ///< whether taps that read padding are left out
  bool copies;        ///< whether padding is copied
  Index depth;        ///< products of an output
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

/// Whether it pays to take the taps that read inputs alone. Then pixels of a row that have the same taps are
/// tiles of their own: as many as a dilation, where that is less than a row. No longer so for longer axes.
inline bool skips_taps(const BlockedShape& shape) {
  constexpr Index kLeastPixels = 4;
  const Window& w = shape.conv.window;
  return shape.input == Layout::blocks && (reaches_far(w, 1) || reaches_far(w, 2)) &&
         (w.kernel[2] == 1 || w.dilation[2] >= kLeastPixels);
}

/// Images of a few pixels a row are rows themselves, for a window that does not mind.
inline ConvShape with_long_rows(ConvShape s) {
  constexpr Index kShortRow = 7;
  Window& w = s.window;
  if (w.out[2] < kShortRow && is_pointwise(w)) {
    w.in[2] = w.out[2] = volume(w.in);
    w.in[0] = w.in[1] = w.out[0] = w.out[1] = 1;
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

inline DirectPlan direct_plan(const BlockedShape& shape) {
  const ConvShape s = with_long_rows(shape.conv);
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
  p.columns = p.skips ? w.out[2] : min_of(w.out[2], most_columns(w, column_floats));
  p.cuts = ceil_div(w.out[2], max_of(p.columns, 1));
  p.in_columns = (p.columns - 1) * w.stride[2] + reach_of(w, 2);
  const Index row_floats = column_floats * p.in_columns;
  const Index most = kChunkFloats / (row_floats > 0 ? row_floats : 1);
  p.parts = ceil_div(p.out_blocks, kTaskChannels);
  p.chunks = w.out[1] == 0 ? 0 : ceil_div(w.out[1], most < 1 ? 1 : most);
  p.chunks = min_of(w.out[1], even_tasks(p.chunks, p.parts));
  if (shares_rows(w)) p.chunks = max_of(p.chunks, 2);
  const Index rows = p.chunks == 0 ? 0 : ceil_div(w.out[1], p.chunks);
  p.in_rows = (rows - 1) * w.stride[1] + reach_of(w, 1);
  p.depth = p.runs * p.run * volume(w.kernel);
  p.weight_step = p.out_blocks * p.depth;
  return p;
}

/// Runs: all taps of each block; of planes, the taps of one row of the kernel at a time.
inline Index run_count(const BlockedShape& shape, const DirectPlan& p) {
  const Window& w = shape.conv.window;
  return p.runs * w.kernel[1] * (shape.input == Layout::blocks ? w.kernel[2] : 1);
}

/// Numbers of a list of runs.
inline Index list_size(const BlockedShape& shape, const DirectPlan& p) {
  return round_up(run_count(shape, p), 8);
}

/// No less for longer axes.
inline std::size_t direct_scratch(const BlockedShape& shape) {
  const DirectPlan p = direct_plan(shape);
  const Window& w = shape.conv.window;
  Index copy = 0;
  if (!p.skips && (p.copies || volume(w.kernel) > 1)) {
    const Index row = p.units * p.unit * p.in_columns, reach = reach_of(w, 1);
    const Index chunk = row * w.stride[1] > kChunkFloats ? row * w.stride[1] : kChunkFloats;
    copy = min_of(chunk + row * reach, row * ((w.out[1] - 1) * w.stride[1] + reach));
  }
  return static_cast<std::size_t>(copy) * sizeof(float) +
         static_cast<std::size_t>(list_size(shape, p)) * 2 * sizeof(Index);
}

/// The floats that a task reads: `units` of rows.
struct DirectInput {
  const float* data;
  Index unit_step;
  Index row_step;
};

inline void fill_zero(float* out, Index n) {
  for (Index i = 0; i < n; ++i) out[i] = 0;
}

/// One row from column `first` on, with its padding.
inline void copy_padded_row(const Window& w, const DirectPlan& p, const float* from, Index first,
                            float* to) {
  const Index begin = min_of(max_of(-first, 0), p.in_columns);
  const Index end = max_of(min_of(w.in[2] - first, p.in_columns), begin);
  fill_zero(to, begin * p.unit);
  copy_run(from + (first + begin) * p.unit, 1, to + begin * p.unit, (end - begin) * p.unit);
  fill_zero(to + end * p.unit, (p.in_columns - end) * p.unit);
}

/// The input of the outputs from `row` and `column` on, in place or copied to `scratch`; all of it where
/// taps are skipped.
inline DirectInput direct_input(const Window& w, const DirectPlan& p, const float* x, Index row,
                                Index column, float* scratch) {
  const Index first_row = row * w.stride[1] - w.pad[1], in_row = w.in[2] * p.unit;
  const Index first = column * w.stride[2] - w.pad[2];
  if (p.skips) return {x, w.in[1] * in_row, in_row};
  if (!p.copies) return {x + first_row * in_row + first * p.unit, w.in[1] * in_row, in_row};
  float* to = scratch;
  for (Index unit = 0; unit < p.units; ++unit) {
    for (Index y = first_row; y < first_row + p.in_rows; ++y, to += p.in_columns * p.unit) {
      if (y < 0 || y >= w.in[1])
        fill_zero(to, p.in_columns * p.unit);
      else
        copy_padded_row(w, p, x + (unit * w.in[1] + y) * in_row, first, to);
    }
  }
  return {scratch, p.in_rows * p.in_columns * p.unit, p.in_columns * p.unit};
}

/// A part of the kernel: of a row of planes, which is one run, there is none.
struct Taps {
  Range rows;
  Range columns;
};

inline Taps all_taps(const BlockedShape& shape) {
  const Window& w = shape.conv.window;
  return {{0, w.kernel[1]}, {0, shape.input == Layout::blocks ? w.kernel[2] : 1}};
}

/// The runs of a tile, and the steps of the weights that each of them leaves out before it.
struct RunLists {
  Index* runs;
  Index* skipped;
};

/// The runs of some taps, from the first of them on. Returns how many there are.
inline Index find_runs(const BlockedShape& shape, const DirectPlan& p, const DirectInput& in,
                       const Taps& taps, const RunLists& to) {
  const Window& w = shape.conv.window;
  const Taps all = all_taps(shape);
  const Index size = shape.input == Layout::blocks ? p.run : w.kernel[2];
  Index count = 0, done = 0;
  for (Index run = 0; run < p.runs; ++run) {
    const Index channel = run * p.run;
    const Index first = channel / p.unit * in.unit_step + channel % p.unit;
    for (Index y = taps.rows.begin; y < taps.rows.end; ++y)
      for (Index x = taps.columns.begin; x < taps.columns.end; ++x, ++count) {
        const Index tap = (run * all.rows.end + y) * all.columns.end + x;
        to.runs[count] = first + (y - taps.rows.begin) * w.dilation[1] * in.row_step +
                         (x - taps.columns.begin) * w.dilation[2] * p.unit;
        to.skipped[count] = (tap - done) * size;
        done = tap + 1;
      }
  }
  return count;
}

/// The taps along an axis that read inputs for this output.
inline Range taps_inside(const Window& w, int axis, Index out) {
  const Index first = out * w.stride[axis] - w.pad[axis], step = w.dilation[axis];
  const Index begin = first < 0 ? ceil_div(-first, step) : 0;
  const Index end = first < w.in[axis] ? ceil_div(w.in[axis] - first, step) : 0;
  return {min_of(begin, w.kernel[axis]), min_of(end, w.kernel[axis])};
}

inline bool is_same(Range a, Range b) { return a.begin == b.begin && a.end == b.end; }

/// Outputs of one image and group.
struct DirectRows {
  Range rows;
  Range columns;
  Index y;            ///< offset of the group's image in y and residual
  const float* bias;  ///< of the group
};

/// One row of a panel of channels in blocks; `at` is where it begins in y.
inline void direct_row(const BlockedConv& call, const PixelTile& tile, PixelFinish finish,
                       Range panel, Index pixels, Index at) {
  const Index lane = panel.begin % kChannelBlock;
  finish.y = call.y + at + lane;
  if (call.residual) finish.residual = call.residual + at + lane;
  run_pixels(tile, finish, pixels, panel.end - panel.begin);
  Index block = at;
  for (Index c = round_up(panel.begin + 1, kChannelBlock); c <= panel.end;
       c += kChannelBlock, block += finish.block_step)
    activate_run(call.activation, call.y + block, pixels * kChannelBlock);
}

/// The same in planes; `y` is where it begins.
inline void direct_row_to_planes(const BlockedConv& call, const PixelTile& tile,
                                 const PixelFinish& finish, Range panel, Index pixels, float* y) {
  const PlaneRows to{y, volume(call.shape.conv.window.out),
                     min_of(panel.end, call.shape.conv.out_channels) - panel.begin};
  run_pixels_to_planes(tile, finish, pixels, panel.end - panel.begin, to);
  for (Index c = 0; c < to.channels; ++c) activate_run(call.activation, y + c * to.step, pixels);
}

/// A panel of channels of some rows.
struct DirectPanel {
  const BlockedConv& call;
  const BlockedShape& shape;
  const DirectPlan& plan;
  const DirectRows& rows;
  const DirectInput& in;
  Range channels;
  PixelFinish finish;

  /// The outputs of a row at some columns.
  void pixels(const PixelTile& tile, Index row, Range columns) const {
    const Window& w = shape.conv.window;
    const Index plane = w.out[1] * w.out[2], pixel = row * w.out[2] + columns.begin;
    const Index count = columns.end - columns.begin;
    if (shape.output == Layout::planes)
      direct_row_to_planes(call, tile, finish, channels, count,
                           call.y + rows.y + channels.begin * plane + pixel);
    else
      direct_row(call, tile, finish, channels, count,
                 rows.y + (channels.begin / kChannelBlock * plane + pixel) * kChannelBlock);
  }
};

inline DirectPanel direct_panel(const BlockedConv& call, const BlockedShape& shape,
                                const DirectPlan& p, const DirectRows& rows, const DirectInput& in,
                                Range channels) {
  const ClipRange range = clip_range(call.activation);
  const Index plane = shape.conv.window.out[1] * shape.conv.window.out[2];
  const float* bias = rows.bias ? rows.bias + channels.begin : nullptr;
  return {call,
          shape,
          p,
          rows,
          in,
          channels,
          {nullptr, nullptr, bias, plane * kChannelBlock, is_clip(call.activation.op), range.low,
           range.high}};
}

/// The pixels of a row from the first of `part` on, no further than `end`, that have the same taps.
inline Range with_same_taps(const Window& w, Range part, Index end, Range taps) {
  while (part.end < end && is_same(taps, taps_inside(w, 2, part.end))) ++part.end;
  return part;
}

/// Points a tile to the pixel of a row at `column`, and to those taps that read inputs.
inline void take_taps(const DirectPanel& panel, Index row, Index column, const RunLists& lists,
                      Taps& taps, PixelTile& tile) {
  const Window& w = panel.shape.conv.window;
  const Range rows = taps_inside(w, 1, row);
  if (!is_same(rows, taps.rows)) {
    taps.rows = rows;
    tile.run_count = find_runs(panel.shape, panel.plan, panel.in, taps, lists);
  }
  const Index y = row * w.stride[1] - w.pad[1] + rows.begin * w.dilation[1];
  const Index x = column * w.stride[2] - w.pad[2] + taps.columns.begin * w.dilation[2];
  tile.x = panel.in.data + y * panel.in.row_step + x * panel.plan.unit;
}

/// Whole rows, or where taps are skipped, the pixels of all rows that have the same taps along them.
inline void direct_rows(const DirectPanel& panel, PixelTile tile, const RunLists& lists) {
  const Window& w = panel.shape.conv.window;
  const Range rows = panel.rows.rows, columns = panel.rows.columns;
  const bool skips = panel.plan.skips;
  if (skips) tile.skipped = lists.skipped;
  for (Range part = columns; part.begin < columns.end; part.begin = part.end) {
    Taps taps{{-1, -1}, taps_inside(w, 2, part.begin)};
    if (skips) part = with_same_taps(w, {part.begin, part.begin + 1}, columns.end, taps.columns);
    for (Index row = rows.begin; row < rows.end; ++row) {
      if (skips) take_taps(panel, row, part.begin, lists, taps, tile);
      panel.pixels(tile, row, part);
      tile.x += panel.in.row_step * w.stride[1];
    }
  }
}

/// The tasks [tasks.begin, tasks.end): parts of the channels vary fastest, then groups, then rows.
inline void direct_conv(const BlockedConv& call, Range tasks, float* scratch) {
  BlockedShape shape = call.shape;
  shape.conv = with_long_rows(shape.conv);
  const ConvShape& s = shape.conv;
  const Window& w = s.window;
  const DirectPlan p = direct_plan(shape);
  const Index list = list_size(shape, p);
  const RunLists lists{reinterpret_cast<Index*>(scratch), reinterpret_cast<Index*>(scratch) + list};
  scratch += 2 * list * static_cast<Index>(sizeof(Index) / sizeof(float));
  const Index in_image = p.units * p.unit * w.in[1] * w.in[2];
  const Index out_channels = shape.output == Layout::planes ? s.out_channels : p.out_blocks;
  const Index out_image = out_channels * w.out[1] * w.out[2];
  Index filled = -1;
  DirectInput in{};
  for (Index t = tasks.begin; t < tasks.end; ++t) {
    const Index chunk = t / p.parts, of_all = chunk / p.cuts, group = of_all % s.groups;
    const Index line = of_all / s.groups, image = line / p.chunks * s.groups + group;
    const Range rows = part_of_whole(w.out[1], line % p.chunks, p.chunks);
    const Range columns = part_of_whole(w.out[2], chunk % p.cuts, p.cuts);
    if (chunk != filled) {
      in = direct_input(w, p, call.x + image * in_image, rows.begin, columns.begin, scratch);
      if (!p.skips) (void)find_runs(shape, p, in, all_taps(shape), lists);
      filled = chunk;
    }
    const DirectRows d{rows, columns, image * out_image,
                       call.bias ? call.bias + group * p.out_blocks : nullptr};
    PixelTile tile{in.data,
                   lists.runs,
                   run_count(shape, p),
                   shape.input == Layout::blocks ? p.run : w.kernel[2],
                   w.stride[2] * p.unit,
                   nullptr};
    const Index first = t % p.parts * kTaskChannels;
    for (Index c = first; c < min_of(first + kTaskChannels, p.out_blocks); c += kTileColumns) {
      tile.weights = call.packed_weights + group * p.weight_step + c * p.depth;
      const DirectPanel panel =
          direct_panel(call, shape, p, d, in, {c, min_of(c + kTileColumns, p.out_blocks)});
      direct_rows(panel, tile, lists);
    }
  }
}

inline Index direct_tasks(const BlockedShape& shape) {
  const DirectPlan p = direct_plan(shape);
  return shape.conv.batch * shape.conv.groups * p.chunks * p.cuts * p.parts;
}

inline Index direct_weights_size(const BlockedShape& shape) {
  return shape.conv.groups * direct_plan(shape).weight_step;
}

/// One tap of a run of input channels, [run, width], of `lanes` output channels.
inline void pack_tap(const ConvShape& s, const float* weights, Index channels, Index lanes,
                     Index width, Index run, float* to) {
  const Index taps = volume(s.window.kernel), lane_step = s.in_channels * taps;
  for (Index c = 0; c < run; ++c, to += width) {
    Index lane = 0;
    if (c < channels)
      for (; lane < lanes; ++lane) to[lane] = weights[lane * lane_step + c * taps];
    fill_zero(to + lane, width - lane);
  }
}

/// Of each panel of channels [runs, rows and columns of the kernel, run, panel]; of planes
/// [channels, rows, columns, panel].
inline void pack_direct(const BlockedShape& shape, const float* weights, float* packed) {
  const ConvShape& s = shape.conv;
  const DirectPlan p = direct_plan(shape);
  const Index taps = volume(s.window.kernel), lane_step = s.in_channels * taps;
  for (Index g = 0; g < s.groups; ++g, weights += s.out_channels * lane_step) {
    for (Index panel = 0; panel < p.out_blocks; panel += kTileColumns) {
      const Index width = min_of(kTileColumns, p.out_blocks - panel);
      const Index lanes = min_of(width, s.out_channels - panel);
      for (Index c = 0; c < p.runs * p.run; c += p.run)
        for (Index tap = 0; tap < taps; ++tap, packed += p.run * width)
          pack_tap(s, weights + panel * lane_step + c * taps + tap, s.in_channels - c, lanes, width,
                   p.run, packed);
    }
  }
}

}  // namespace
}  // namespace strata::kernels
