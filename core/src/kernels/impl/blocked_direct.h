#pragma once

#include "kernels/impl/blocked_planes.h"
#include "kernels/impl/direct_input.h"
#include "kernels/impl/direct_weights.h"

/// Direct convolution from or to a blocked image, some rows of outputs or a part of a long one at a
/// time, whose inputs are first copied with their padding where there is any. Products are added up
/// in passes, each with so few weights that a cache holds them while all pixels use them. Rows of the
/// kernel that read padding alone are left out at the edges. Of a kernel that reaches far into
/// padding, each tap has passes of its own, over those outputs for which it reads inputs.
namespace strata::kernels {
namespace {

/// Outputs of one slice of an image and group.
struct DirectRows {
  Range rows;
  Range columns;
  Index pixel;        ///< the first one of the slice
  Index y;            ///< offset of the group's image in y and residual
  const float* bias;  ///< of the group

  Index width() const { return columns.end - columns.begin; }
  /// The number of an output among these.
  Index number(Index row, Index column) const {
    return (row - rows.begin) * width() + column - columns.begin;
  }
};

/// What a pass leaves for those after it, and takes from those before.
struct Pass {
  bool is_first = true;
  bool is_last = true;
};

/// A panel of channels of some rows.
struct DirectPanel {
  const BlockedConv& call;
  const BlockedShape& shape;
  const DirectPlan& plan;
  const DirectRows& rows;
  const DirectInput& in;
  Range channels;
  PixelFinish finish;  ///< of the first pixel of all rows, or of these where sums are kept

  /// Adds a pass to the outputs of a row at some columns.
  [[gnu::noinline]] void add(PixelTile& tile, Index row, Range columns, Pass pass) const {
    const Window& w = shape.conv.window;
    const Index pixel = rows.pixel + row * w.out[2] + columns.begin;
    const Index pixels = columns.end - columns.begin;
    if (!plan.sums.in_place && plan.sums.kept == 0) {
      const PlaneRows to = planes_from(pixel);
      run_pixels_to_planes(tile, finish, pixels, channels.end - channels.begin, to);
      return activate_planes(to, pixels);
    }
    PixelFinish f = finish;
    f.y += (plan.sums.kept > 0 ? rows.number(row, columns.begin) : pixel) * kChannelBlock;
    if (f.residual) f.residual += pixel * kChannelBlock;
    if (!pass.is_first) {
      f.residual = f.y;
      f.bias = nullptr;
    }
    f.clips = f.clips && pass.is_last;
    run_pixels(tile, f, pixels, channels.end - channels.begin);
    if (pass.is_last && plan.sums.in_place) activate(f.y, pixels);
  }

  /// Pixels of those blocks that end with the panel or before; `y` is where its channels of the
  /// first one are.
  void activate(float* y, Index pixels) const {
    float* block = y - channels.begin % kChannelBlock;
    for (Index c = round_up(channels.begin + 1, kChannelBlock); c <= channels.end;
         c += kChannelBlock, block += finish.block_step)
      activate_run(call.activation, block, pixels * kChannelBlock);
  }

  /// Sums of all channels that are to be planes; rows follow each other there where they are whole.
  void store() const {
    const Index out = shape.conv.window.out[2];
    const bool are_whole = rows.width() == out;
    const Index count = rows.rows.end - rows.rows.begin;
    for (Index row = 0; row < (are_whole ? 1 : count); ++row)
      store(finish.y + row * rows.width() * kChannelBlock,
            rows.pixel + (rows.rows.begin + row) * out + rows.columns.begin,
            rows.width() * (are_whole ? count : 1));
  }

  void store(const float* sums, Index first, Index pixels) const {
    const PlaneRows to = planes_from(first);
    store_blocks(sums, finish.block_step, pixels, to);
    activate_planes(to, pixels);
  }

  /// The panel's channels in y, from a pixel on.
  PlaneRows planes_from(Index pixel) const {
    const Index plane = volume(shape.conv.window.out);
    return {call.y + rows.y + channels.begin * plane + pixel, plane,
            min_of(channels.end, shape.conv.out_channels) - channels.begin};
  }
  void activate_planes(const PlaneRows& to, Index pixels) const {
    for (Index c = 0; c < to.channels; ++c)
      activate_run(call.activation, to.y + c * to.step, pixels);
  }
};

/// `sums` is where sums are kept that are not kept in y.
inline DirectPanel direct_panel(const BlockedConv& call, const BlockedShape& shape,
                                const DirectPlan& p, const DirectRows& rows, const DirectInput& in,
                                Range channels, float* sums) {
  const ClipRange range = clip_range(call.activation);
  const Window& w = shape.conv.window;
  const Index block = volume(w.out) * kChannelBlock;
  const Index at = rows.y + channels.begin / kChannelBlock * block + channels.begin % kChannelBlock;
  const float* bias = rows.bias ? rows.bias + channels.begin : nullptr;
  PixelFinish f{.y = call.y + at,
                .residual = call.residual ? call.residual + at : nullptr,
                .bias = bias,
                .block_step = block,
                .clips = is_clip(call.activation.op),
                .low = range.low,
                .high = range.high};
  if (p.sums.kept > 0) {
    f.y = sums;
    f.block_step = p.sums.kept * kChannelBlock;
  }
  return {call, shape, p, rows, in, channels, f};
}

/// Some outputs, and where the inputs of the first begin; each row's inputs begin `row_step` after
/// the row before's.
struct DirectArea {
  Range rows;
  Range columns;
  const float* x;
  Index row_step;
};

inline Range common(Range a, Range b) { return {max_of(a.begin, b.begin), min_of(a.end, b.end)}; }

/// The rows of a kernel without dilation that read inputs for a row of outputs; all of them where
/// none does.
inline Range rows_inside(const Window& w, Index row) {
  const Index above = w.pad[1] - row * w.stride[1];
  const Range inside = common({above, w.in[1] + above}, {0, w.kernel[1]});
  return inside.begin < inside.end ? inside : Range{0, w.kernel[1]};
}

/// Adds a pass to a row of outputs: all runs at once, or, where some rows of the kernel read
/// padding alone, those of the others, one run of channels after another.
inline void add_row(const DirectPanel& panel, PixelTile& tile, Index row, Range columns,
                    Pass pass) {
  const Window& w = panel.shape.conv.window;
  const Index taps = w.kernel[1] * w.kernel[2];
  const Range inside = panel.plan.reads.skips_rows ? rows_inside(w, row) : Range{0, w.kernel[1]};
  const Index taken = (inside.end - inside.begin) * w.kernel[2];
  if (kForSize || taken == taps || tile.run_count == 0) return panel.add(tile, row, columns, pass);
  const Index run_floats = tile.run_size * (panel.channels.end - panel.channels.begin);
  const PixelTile all = tile;
  tile.run_count = taken;
  for (Index run = inside.begin * w.kernel[2]; run < all.run_count; run += taps) {
    tile.x = all.x;
    tile.next = all.next;
    tile.runs = all.runs + run;
    tile.weights = all.weights + run * run_floats;
    panel.add(tile, row, columns,
              {pass.is_first && run < taps, pass.is_last && run + taps >= all.run_count});
  }
  const float* const next = tile.next;
  tile = all;
  tile.next = next;
}

/// Adds the products of all runs of a tile to an area, in passes. `all` is for all of them.
[[gnu::noinline]] inline void add_area(const DirectPanel& panel, const DirectArea& area,
                                       PixelTile tile, Pass all) {
  const Window& w = panel.shape.conv.window;
  // Where rows of the kernel may be left out, a pass takes units whole.
  const Index whole = panel.plan.reads.skips_rows ? w.kernel[1] * w.kernel[2] : 1;
  const Index count = tile.run_count / whole;
  const Index passes = min_of(panel.plan.sums.passes, max_of(count, 1));
  const Index channels = panel.channels.end - panel.channels.begin;
  const Index rows = area.rows.end - area.rows.begin;
  const Index* const runs = tile.runs;
  const float* const weights = tile.weights;
  for (Index i = 0; i < passes; ++i) {
    const Range part = part_of_whole(count, i, passes);
    tile.runs = runs + part.begin * whole;
    tile.run_count = (part.end - part.begin) * whole;
    tile.weights = weights + part.begin * whole * tile.run_size * channels;
    set_next(tile, rows, area.columns.end - area.columns.begin, channels);
    for (Index row = 0; row < rows; ++row) {
      tile.x = area.x + row * area.row_step;
      add_row(panel, tile, area.rows.begin + row, area.columns,
              {all.is_first && i == 0, all.is_last && i == passes - 1});
    }
  }
}

/// Adds the products of a slice of the kernel, which reads inputs from `x` on: each tap over the
/// outputs that it counts in.
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
                        (columns.begin * w.stride[2] + across) * panel.plan.channels.unit;
    add_area(panel, {rows, columns, x + first, w.stride[1] * in.row_step}, tile,
             {.is_first = false, .is_last = false});
  }
}

/// All slices of the kernel. Where outputs may have no product, an empty pass begins the sums, and
/// another ends them.
inline void direct_rows(const DirectPanel& panel, PixelTile tile) {
  const Window& w = panel.shape.conv.window;
  const DirectPlan& p = panel.plan;
  const DirectRows& all = panel.rows;
  const Range slices = panel.in.slices;
  const Range outputs = panel.channels;
  const Index slice_floats =
      panel_depth(p.channels, w, outputs.begin) * (outputs.end - outputs.begin);
  const bool has_ends = p.reads.skips_taps || slices.begin >= slices.end;
  PixelTile none = tile;
  none.run_count = 0;
  const DirectArea everywhere{all.rows, all.columns, panel.in.data, 0};
  if (has_ends) add_area(panel, everywhere, none, {.is_last = false});
  tile.weights += slices.begin * slice_floats;
  for (Index slice = slices.begin; slice < slices.end; ++slice, tile.weights += slice_floats) {
    const float* x = panel.in.data + slice * panel.in.slice_step;
    if (p.reads.skips_taps)
      add_taps(panel, x, tile);
    else
      add_area(panel, {all.rows, all.columns, x, panel.in.row_step * w.stride[1]}, tile,
               {slice == slices.begin, slice + 1 == slices.end});
  }
  if (has_ends) add_area(panel, everywhere, none, {.is_first = false});
  if (p.sums.kept > 0) panel.store();
}

/// One task: an input, and a part of the channels made from it.
struct DirectTask {
  Index input;  ///< how many inputs of tasks come before this one's
  Index group;
  Index image;  ///< of a group
  DirectPlace at;
  Range rows;
  Range columns;
  Range channels;
};

/// Parts of the channels vary fastest, then columns, then groups, then rows, then slices.
inline DirectTask task_at(const ConvShape& s, const DirectPlan& p, Index t) {
  const Window& w = s.window;
  const Index input = t / p.tasks.parts, chunk = input / p.tasks.cuts, line = chunk / s.groups;
  const Index slice = line / p.tasks.chunks, group = chunk % s.groups;
  const Range rows = part_of_whole(w.out[1], line % p.tasks.chunks, p.tasks.chunks);
  const Range columns = cut_columns(w, p.tasks, input % p.tasks.cuts);
  const Index first = t % p.tasks.parts * kTaskChannels;
  return {input,
          group,
          slice / p.tasks.slices * s.groups + group,
          {slice % p.tasks.slices, rows.begin, columns.begin},
          rows,
          columns,
          {first, min_of(first + kTaskChannels, p.channels.outputs)}};
}

/// The memory of tasks, cut out of `scratch`.
struct DirectScratch {
  Index* runs;
  float* sums;
  float* inputs;

  DirectScratch(const BlockedShape& shape, const DirectPlan& p, float* scratch)
      : runs(reinterpret_cast<Index*>(scratch)),
        sums(scratch + list_size(shape, p) * static_cast<Index>(sizeof(Index) / sizeof(float))),
        inputs(sums + p.sums.kept * kTaskChannels) {}
};

/// The tasks [tasks.begin, tasks.end): those of one input follow each other.
inline void direct_conv(const BlockedConv& call, Range tasks, float* scratch) {
  const DirectPlan p = direct_plan(call.shape);
  const DirectChannels& all = p.channels;
  BlockedShape shape = call.shape;
  shape.conv = as_computed(shape);
  const ConvShape& s = shape.conv;
  const Window& w = s.window;
  const DirectScratch memory(shape, p, scratch);
  const Index in_image = all.units * all.unit * volume(w.in);
  const Index out_channels = shape.output == Layout::planes ? s.out_channels : all.outputs;
  const Index run_floats = shape.input == Layout::blocks ? all.run : w.kernel[2];
  const Index listed = listed_taps(shape, p);
  Index read = -1;
  DirectInput in{};
  for (Index t = tasks.begin; t < tasks.end; ++t) {
    const DirectTask task = task_at(s, p, t);
    if (task.input != read) {
      in = direct_input(w, p, call.x + task.image * in_image, task.at, memory.inputs);
      find_runs(shape, p, in, memory.runs);
      read = task.input;
    }
    const DirectRows d{task.rows, task.columns, task.at.slice * w.out[1] * w.out[2],
                       task.image * out_channels * volume(w.out),
                       call.bias ? call.bias + task.group * all.outputs : nullptr};
    PixelTile tile{in.data, nullptr, 0, run_floats, w.stride[2] * all.unit, nullptr};
    tile.is_far = s.groups * p.weights.step >= kFarFloats;
    for (Index c = task.channels.begin; c < task.channels.end; c += all.panel) {
      const Range channels{c, min_of(c + all.panel, task.channels.end)};
      const Range runs = panel_runs(all, c);
      tile.runs = memory.runs + runs.begin * listed;
      tile.run_count = (runs.end - runs.begin) * listed;
      tile.weights = call.packed_weights + task.group * p.weights.step + weights_before(all, w, c);
      direct_rows(direct_panel(call, shape, p, d, in, channels, memory.sums), tile);
    }
  }
}

inline Index direct_tasks(const BlockedShape& shape) {
  const DirectPlan p = direct_plan(shape);
  return shape.conv.batch * (shape.conv.groups / p.channels.joined.count) * p.tasks.slices *
         p.tasks.chunks * p.tasks.cuts * p.tasks.parts;
}

}  // namespace
}  // namespace strata::kernels
