#pragma once

#include "kernels/impl/blocked_planes.h"
#include "kernels/impl/direct_plan.h"

/// Direct convolution from or to a blocked image, some rows of outputs or a part of a long one at a time, whose
/// inputs are first copied with their padding where there is any. Products are added up in passes, each of weights so
/// few that a cache holds them while all pixels take them. Of a kernel that reaches far into padding, each tap has
/// passes of its own, over those outputs for which it reads inputs.
namespace strata::kernels {
namespace {

/// The floats that a task reads: of each slice of the kernel that reads inputs, `units` of rows.
struct DirectInput {
  const float* data;  ///< of the first slice, be it inside or not
  Range slices;       ///< those inside
  Index slice_step;
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

/// The slices of the kernel that read inputs for the outputs of a slice.
inline Range slices_inside(const Window& w, Index out) {
  const Index first = out * w.stride[0] - w.pad[0], step = w.dilation[0];
  const Index begin = first < 0 ? ceil_div(-first, step) : 0;
  const Index end = first < w.in[0] ? ceil_div(w.in[0] - first, step) : 0;
  return {min_of(begin, w.kernel[0]), min_of(end, w.kernel[0])};
}

/// Where the first output of a task is.
struct DirectPlace {
  Index slice;
  Index row;
  Index column;
};

/// Some rows of all units of a slice, with their padding; `x` is where the slice begins. Returns where they end.
inline float* copy_padded_rows(const Window& w, const DirectPlan& p, const float* x,
                               Index first_row, Index first_column, float* to) {
  const Index in_row = w.in[2] * p.unit, unit_step = w.in[0] * w.in[1] * in_row;
  for (Index unit = 0; unit < p.units; ++unit, x += unit_step) {
    for (Index y = first_row; y < first_row + p.in_rows; ++y, to += p.in_columns * p.unit) {
      if (y < 0 || y >= w.in[1])
        fill_zero(to, p.in_columns * p.unit);
      else
        copy_padded_row(w, p, x + y * in_row, first_column, to);
    }
  }
  return to;
}

/// The input of the outputs from there on, in place or copied to `scratch`; all of it where taps are skipped.
inline DirectInput direct_input(const Window& w, const DirectPlan& p, const float* x,
                                const DirectPlace& at, float* scratch) {
  const Index in_row = w.in[2] * p.unit, in_slice = w.in[1] * in_row;
  const Index first_row = at.row * w.stride[1] - w.pad[1];
  const Index first_column = at.column * w.stride[2] - w.pad[2];
  DirectInput in{x + (at.slice * w.stride[0] - w.pad[0]) * in_slice, slices_inside(w, at.slice),
                 w.dilation[0] * in_slice, w.in[0] * in_slice, in_row};
  if (p.skips) return in;
  if (!p.copies) {
    in.data += first_row * in_row + first_column * p.unit;
    return in;
  }
  float* to = scratch;
  for (Index slice = in.slices.begin; slice < in.slices.end; ++slice)
    to = copy_padded_rows(w, p, in.data + slice * in.slice_step, first_row, first_column, to);
  in.row_step = p.in_columns * p.unit;
  in.unit_step = p.in_rows * in.row_step;
  in.slice_step = p.units * in.unit_step;
  in.data = scratch - in.slices.begin * in.slice_step;
  return in;
}

/// Where the runs begin in an input.
inline void find_runs(const BlockedShape& shape, const DirectPlan& p, const DirectInput& in,
                      Index* runs) {
  const Window& w = shape.conv.window;
  const Index columns = shape.input == Layout::planes ? 1 : w.kernel[2],
              taps = w.kernel[1] * columns;
  const bool taps_first = has_taps_first(shape);
  for (Index i = 0; i < run_count(shape, p); ++i) {
    const Index tap = taps_first ? i / p.runs : i % taps;
    const Index channel = (taps_first ? i % p.runs : i / taps) * p.run;
    runs[i] = channel / p.unit * in.unit_step + channel % p.unit +
              tap / columns * w.dilation[1] * in.row_step + tap % columns * w.dilation[2] * p.unit;
  }
}

/// Outputs of one slice of an image and group.
struct DirectRows {
  Range rows;
  Range columns;
  Index pixel;        ///< the first one of the slice
  Index y;            ///< offset of the group's image in y and residual
  const float* bias;  ///< of the group
};

/// What a pass leaves to those after it, and takes from those before.
struct Pass {
  bool is_first = true;
  bool is_last = true;
};

/// A row to planes at once; `y` is where it begins.
inline void direct_row_to_planes(const BlockedConv& call, PixelTile& tile,
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
  PixelFinish finish;  ///< of the first pixel of all rows

  /// Adds a pass to the outputs of a row at some columns.
  void add(PixelTile& tile, Index row, Range columns, Pass pass) const {
    const Window& w = shape.conv.window;
    const Index pixel = rows.pixel + row * w.out[2] + columns.begin;
    const Index pixels = columns.end - columns.begin;
    if (!plan.in_place && plan.kept == 0)
      return direct_row_to_planes(call, tile, finish, channels, pixels,
                                  call.y + rows.y + channels.begin * volume(w.out) + pixel);
    PixelFinish f = finish;
    f.y += pixel * kChannelBlock;
    if (f.residual) f.residual += pixel * kChannelBlock;
    if (!pass.is_first) {
      f.residual = f.y;
      f.bias = nullptr;
    }
    f.clips = f.clips && pass.is_last;
    run_pixels(tile, f, pixels, channels.end - channels.begin);
    if (pass.is_last && plan.in_place) activate(f.y, pixels);
  }

  /// Pixels of those blocks that end with the panel or before; `y` is where its channels of the first one are.
  void activate(float* y, Index pixels) const {
    float* block = y - channels.begin % kChannelBlock;
    for (Index c = round_up(channels.begin + 1, kChannelBlock); c <= channels.end;
         c += kChannelBlock, block += finish.block_step)
      activate_run(call.activation, block, pixels * kChannelBlock);
  }

  /// Pixels of all channels that are to be planes.
  void store(const float* sums, Index first, Index pixels) const {
    const Index plane = volume(shape.conv.window.out);
    const PlaneRows to{call.y + rows.y + channels.begin * plane + first, plane,
                       min_of(channels.end, shape.conv.out_channels) - channels.begin};
    store_blocks(sums, finish.block_step, pixels, to);
    for (Index c = 0; c < to.channels; ++c)
      activate_run(call.activation, to.y + c * to.step, pixels);
  }
};

/// `sums` is where those are kept that are not kept in y.
inline DirectPanel direct_panel(const BlockedConv& call, const BlockedShape& shape,
                                const DirectPlan& p, const DirectRows& rows, const DirectInput& in,
                                Range channels, float* sums) {
  const ClipRange range = clip_range(call.activation);
  const Window& w = shape.conv.window;
  const Index block = volume(w.out) * kChannelBlock;
  const Index at = rows.y + channels.begin / kChannelBlock * block + channels.begin % kChannelBlock;
  const float* bias = rows.bias ? rows.bias + channels.begin : nullptr;
  PixelFinish f{call.y + at,
                call.residual ? call.residual + at : nullptr,
                bias,
                block,
                is_clip(call.activation.op),
                range.low,
                range.high};
  if (p.kept > 0) {
    f.y = sums - (rows.pixel + rows.rows.begin * w.out[2]) * kChannelBlock;
    f.block_step = p.kept * kChannelBlock;
  }
  return {call, shape, p, rows, in, channels, f};
}

/// Some outputs, and where the inputs of the first begin; those of a row do `row_step` after those of the row before.
struct DirectArea {
  Range rows;
  Range columns;
  const float* x;
  Index row_step;
};

/// Adds the products of all runs of a tile to an area, in passes. `all` is of all of them.
[[gnu::noinline]] inline void add_area(const DirectPanel& panel, const DirectArea& area,
                                       PixelTile tile, Pass all) {
  const Index count = tile.run_count, passes = min_of(panel.plan.passes, max_of(count, 1));
  const Index channels = panel.channels.end - panel.channels.begin;
  const Index rows = area.rows.end - area.rows.begin;
  const Index columns = area.columns.end - area.columns.begin;
  const Index* const runs = tile.runs;
  const float* const weights = tile.weights;
  for (Index i = 0; i < passes; ++i) {
    const Range part = part_of_whole(count, i, passes);
    tile.runs = runs + part.begin;
    tile.run_count = part.end - part.begin;
    tile.weights = weights + part.begin * tile.run_size * channels;
    set_next(tile, rows, columns, channels);
    for (Index row = 0; row < rows; ++row) {
      tile.x = area.x + row * area.row_step;
      panel.add(tile, area.rows.begin + row, area.columns,
                {all.is_first && i == 0, all.is_last && i == passes - 1});
    }
  }
}

inline Range common(Range a, Range b) { return {max_of(a.begin, b.begin), min_of(a.end, b.end)}; }

/// Adds the products of a slice of the kernel, which reads inputs from `x` on: each tap over the outputs that it
/// counts in.
inline void add_taps(const DirectPanel& panel, const float* x, PixelTile tile) {
  const Window& w = panel.shape.conv.window;
  const DirectInput& in = panel.in;
  const DirectRows& all = panel.rows;
  const Index tap_floats =
      tile.run_count * tile.run_size * (panel.channels.end - panel.channels.begin);
  for (Index tap = 0; tap < w.kernel[1] * w.kernel[2]; ++tap, tile.weights += tap_floats) {
    const Index down = tap / w.kernel[2] * w.dilation[1] - w.pad[1];
    const Index across = tap % w.kernel[2] * w.dilation[2] - w.pad[2];
    const Range rows = common(all.rows, valid_outputs(down, w.stride[1], w.in[1], w.out[1]));
    const Range columns =
        common(all.columns, valid_outputs(across, w.stride[2], w.in[2], w.out[2]));
    if (rows.begin >= rows.end || columns.begin >= columns.end) continue;
    const Index first = (rows.begin * w.stride[1] + down) * in.row_step +
                        (columns.begin * w.stride[2] + across) * panel.plan.unit;
    add_area(panel, {rows, columns, x + first, w.stride[1] * in.row_step}, tile, {false, false});
  }
}

/// All slices of the kernel. Where outputs may have no product, a pass of none begins the sums, and another ends them.
inline void direct_rows(const DirectPanel& panel, PixelTile tile) {
  const Window& w = panel.shape.conv.window;
  const DirectPlan& p = panel.plan;
  const DirectRows& all = panel.rows;
  const Range slices = panel.in.slices;
  const Index slice_floats = p.depth * (panel.channels.end - panel.channels.begin);
  const bool has_ends = p.skips || slices.begin >= slices.end;
  PixelTile none = tile;
  none.run_count = 0;
  const DirectArea everywhere{all.rows, all.columns, panel.in.data, 0};
  if (has_ends) add_area(panel, everywhere, none, {true, false});
  tile.weights += slices.begin * slice_floats;
  for (Index slice = slices.begin; slice < slices.end; ++slice, tile.weights += slice_floats) {
    const float* x = panel.in.data + slice * panel.in.slice_step;
    if (p.skips)
      add_taps(panel, x, tile);
    else
      add_area(panel, {all.rows, all.columns, x, panel.in.row_step * w.stride[1]}, tile,
               {slice == slices.begin, slice + 1 == slices.end});
  }
  if (has_ends) add_area(panel, everywhere, none, {false, true});
  if (p.kept == 0) return;
  const Index first = all.pixel + all.rows.begin * w.out[2];
  panel.store(panel.finish.y + first * kChannelBlock, first,
              (all.rows.end - all.rows.begin) * w.out[2]);
}

/// The tasks [tasks.begin, tasks.end): parts of the channels vary fastest, then groups, then rows, then slices.
inline void direct_conv(const BlockedConv& call, Range tasks, float* scratch) {
  BlockedShape shape = call.shape;
  shape.conv = with_long_rows(shape);
  const ConvShape& s = shape.conv;
  const Window& w = s.window;
  const DirectPlan p = direct_plan(shape);
  Index* const runs = reinterpret_cast<Index*>(scratch);
  scratch += list_size(shape, p) * static_cast<Index>(sizeof(Index) / sizeof(float));
  float* const sums = scratch;
  scratch += p.kept * kTaskChannels;
  const Index in_image = p.units * p.unit * volume(w.in);
  const Index out_channels = shape.output == Layout::planes ? s.out_channels : p.out_blocks;
  const Index out_image = out_channels * volume(w.out);
  Index filled = -1;
  DirectInput in{};
  for (Index t = tasks.begin; t < tasks.end; ++t) {
    const Index chunk = t / p.parts, of_all = chunk / p.cuts, group = of_all % s.groups;
    const Index line = of_all / s.groups, slices = line / p.chunks;
    const Index image = slices / p.slices * s.groups + group, slice = slices % p.slices;
    const Range rows = part_of_whole(w.out[1], line % p.chunks, p.chunks);
    const Range columns = part_of_whole(w.out[2], chunk % p.cuts, p.cuts);
    if (chunk != filled) {
      in = direct_input(w, p, call.x + image * in_image, {slice, rows.begin, columns.begin},
                        scratch);
      find_runs(shape, p, in, runs);
      filled = chunk;
    }
    const DirectRows d{rows, columns, slice * w.out[1] * w.out[2], image * out_image,
                       call.bias ? call.bias + group * p.out_blocks : nullptr};
    PixelTile tile{in.data,
                   runs,
                   run_count(shape, p),
                   shape.input == Layout::blocks ? p.run : w.kernel[2],
                   w.stride[2] * p.unit,
                   nullptr};
    const Index first = t % p.parts * kTaskChannels;
    for (Index c = first; c < min_of(first + kTaskChannels, p.out_blocks); c += kTileColumns) {
      tile.weights = call.packed_weights + group * p.weight_step + c * p.depth * w.kernel[0];
      const DirectPanel panel =
          direct_panel(call, shape, p, d, in, {c, min_of(c + kTileColumns, p.out_blocks)}, sums);
      direct_rows(panel, tile);
    }
  }
}

inline Index direct_tasks(const BlockedShape& shape) {
  const DirectPlan p = direct_plan(shape);
  return shape.conv.batch * shape.conv.groups * p.slices * p.chunks * p.cuts * p.parts;
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

/// Of each panel of channels and slice of the kernel [runs, rows and columns, run, panel], or taps first; of planes
/// [channels, rows, columns, panel].
inline void pack_direct(const BlockedShape& shape, const float* weights, float* packed) {
  const ConvShape& s = shape.conv;
  const Window& w = s.window;
  const DirectPlan p = direct_plan(shape);
  const Index taps = w.kernel[1] * w.kernel[2], lane_step = s.in_channels * volume(w.kernel);
  const Index slice_runs = p.runs * taps;
  const bool taps_first = has_taps_first(shape);
  for (Index g = 0; g < s.groups; ++g, weights += s.out_channels * lane_step) {
    for (Index panel = 0; panel < p.out_blocks; panel += kTileColumns) {
      const Index width = min_of(kTileColumns, p.out_blocks - panel);
      const Index lanes = min_of(width, s.out_channels - panel);
      for (Index i = 0; i < w.kernel[0] * slice_runs; ++i, packed += p.run * width) {
        const Index of_slice = i % slice_runs;
        const Index tap = taps_first ? of_slice / p.runs : of_slice % taps;
        const Index c = (taps_first ? of_slice % p.runs : of_slice / taps) * p.run;
        pack_tap(s,
                 weights + panel * lane_step + c * volume(w.kernel) + i / slice_runs * taps + tap,
                 s.in_channels - c, lanes, width, p.run, packed);
      }
    }
  }
}

}  // namespace
}  // namespace strata::kernels
