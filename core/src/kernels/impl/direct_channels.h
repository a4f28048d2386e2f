#pragma once

#include <utility>

#include "kernels/impl/blocked.h"

/// What a direct convolution multiplies: which groups are computed as one, how many channels of the
/// input are taken at a time, and which of them a panel of outputs takes.
namespace strata::kernels {
namespace {

/// Groups that are computed as one convolution, of which a panel of outputs takes the inputs of its
/// own groups alone.
struct DirectGroups {
  Index count;  ///< 1 where each group is a convolution by itself
  Index in;     ///< channels of one
  Index out;    ///< outputs of one
};

/// The channels of a group, or of those that are computed as one.
struct DirectChannels {
  DirectGroups joined;
  Index unit;     ///< floats of an input pixel that lie side by side
  Index units;    ///< blocks, or channels of planes
  Index run;      ///< floats of a unit that are multiplied at a time
  Index runs;     ///< half a block at the end may be left out
  Index outputs;  ///< whole blocks
  Index panel;    ///< outputs of a panel
};

/// The sizes of packed weights.
struct DirectWeights {
  Index depth;  ///< products of an output with a slice of the kernel, at most
  Index step;   ///< floats of a group
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

/// Whether groups are computed together: those that do not fill blocks.
inline bool joins_groups(const ConvShape& s) {
  return s.groups > 1 &&
         (s.in_channels % kChannelBlock != 0 || s.out_channels % kChannelBlock != 0);
}

/// The convolution with longer rows, where the window does not mind and its own leave a sixteenth
/// of their tiles empty: one row of all pixels where it has one tap, a row of each slice else. Sums
/// of several slices that go to planes keep their rows.
inline ConvShape with_long_rows(const BlockedShape& shape) {
  ConvShape s = shape.conv;
  Window& w = s.window;
  const bool is_one = is_pointwise(w);
  const bool is_row = w.kernel[1] * w.kernel[2] == 1 && w.stride[1] * w.stride[2] == 1 &&
                      !has_padding(w) && shape.output == Layout::blocks;
  if (!is_one && !is_row) return s;
  if (16 * w.out[2] >= 15 * round_up(w.out[2], kMaxTileRows)) return s;
  for (int axis = 1; axis >= (is_one ? 0 : 1); --axis) {
    w.in[2] *= std::exchange(w.in[axis], 1);
    w.out[2] *= std::exchange(w.out[axis], 1);
  }
  return s;
}

/// The convolution as it is computed: with long rows, and groups that do not fill blocks as one.
inline ConvShape as_computed(const BlockedShape& shape) {
  ConvShape s = with_long_rows(shape);
  if (!joins_groups(s)) return s;
  s.in_channels *= s.groups;
  s.out_channels *= s.groups;
  s.groups = 1;
  return s;
}

/// Halves of blocks where that saves a fifth of the products or more, or where groups end within
/// blocks.
inline Index run_size(const DirectGroups& joined, Index unit) {
  const Index half = unit / 2, halves = half == 0 ? 0 : ceil_div(joined.in, half);
  if (joined.count > 1) return joined.in % unit == 0 ? unit : half;
  return halves % 2 == 1 && halves < 5 ? half : unit;
}

inline DirectChannels channels_of(const BlockedShape& shape) {
  const ConvShape& s = shape.conv;
  const DirectGroups joined{joins_groups(s) ? s.groups : 1, s.in_channels, s.out_channels};
  const Index channels = joined.count * joined.in;
  const Index unit = shape.input == Layout::blocks ? kChannelBlock : 1;
  const Index run = run_size(joined, unit);
  return {joined,
          unit,
          ceil_div(channels, unit),
          run,
          ceil_div(channels, run),
          round_up(joined.count * joined.out, kChannelBlock),
          joined.count > 1 ? min_of(kTileColumns, kChannelBlock) : kTileColumns};
}

/// The runs, of one tap, that the panel which begins with an output takes.
[[gnu::noinline]] inline Range panel_runs(const DirectChannels& c, Index panel) {
  const DirectGroups& groups = c.joined;
  if (groups.count == 1) return {0, c.runs};
  const Index last = min_of(panel + c.panel, groups.count * groups.out) - 1;
  const Index first = min_of(panel, last);
  return {first / groups.out * groups.in / c.run,
          ceil_div((last / groups.out + 1) * groups.in, c.run)};
}

/// Products of an output of a panel with a slice of the kernel.
[[gnu::noinline]] inline Index panel_depth(const DirectChannels& c, const Window& w, Index panel) {
  const Range runs = panel_runs(c, panel);
  return (runs.end - runs.begin) * c.run * w.kernel[1] * w.kernel[2];
}

/// Floats of the weights of a group before those of a panel.
[[gnu::noinline]] inline Index weights_before(const DirectChannels& c, const Window& w,
                                              Index panel) {
  if (c.joined.count == 1) return panel * panel_depth(c, w, panel) * w.kernel[0];
  Index products = 0;
  for (Index before = 0; before < panel; before += c.panel) products += panel_depth(c, w, before);
  return c.panel * products * w.kernel[0];
}

inline DirectWeights weights_of(const DirectChannels& c, const Window& w) {
  const Index unlike = c.joined.count > 1 ? c.outputs : 1;  // panels of one group are alike
  Index depth = 0;
  for (Index panel = 0; panel < unlike; panel += c.panel)
    depth = max_of(depth, panel_depth(c, w, panel));
  return {depth, weights_before(c, w, c.outputs)};
}

}  // namespace
}  // namespace strata::kernels
