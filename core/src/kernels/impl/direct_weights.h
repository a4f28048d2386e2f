#pragma once

#include "kernels/impl/direct_plan.h"

/// The weights of a direct convolution, packed in the order in which its tiles read them.
namespace strata::kernels {
namespace {

inline Index direct_weights_size(const BlockedShape& shape) {
  const DirectPlan p = direct_plan(shape);
  return shape.conv.groups / p.channels.joined.count * p.weights.step;
}

/// One of `taps` taps, with which `weights` begins, of the input channels [channels.begin,
/// channels.end) and `width` output channels from `panel` on: 0 for a channel of another group, and
/// for one that only fills a block up.
[[gnu::noinline]] inline void pack_tap(const DirectGroups& joined, const float* weights, Index taps,
                                       Index panel, Index width, Range channels, float* to) {
  const Index outputs = max_of(panel, min_of(panel + width, joined.count * joined.out));
  for (Index c = channels.begin; c < channels.end; ++c, to += width) {
    const Index group = c / joined.in, row = joined.in * taps;
    const Index begin = min_of(max_of(group * joined.out, panel), outputs);
    const Index end = max_of(min_of((group + 1) * joined.out, outputs), begin);
    const float* from = weights + (c - group * joined.in) * taps;
    fill_zero(to, begin - panel);
    for (Index o = begin; o < end; ++o) to[o - panel] = from[o * row];
    fill_zero(to + end - panel, panel + width - end);
  }
}

/// Of each panel of channels and slice of the kernel [runs, rows and columns, run, panel], or taps
/// first; of planes [channels, rows, columns, panel].
[[gnu::cold]] inline void pack_direct(const BlockedShape& shape, const float* weights,
                                      float* packed) {
  const ConvShape s = as_computed(shape);
  const Window& w = s.window;
  const DirectPlan p = direct_plan(shape);
  const DirectChannels& channels = p.channels;
  const Index taps = w.kernel[1] * w.kernel[2], all_taps = volume(w.kernel);
  for (Index g = 0; g < s.groups;
       ++g, weights += channels.joined.out * channels.joined.in * all_taps) {
    for (Index panel = 0; panel < channels.outputs; panel += channels.panel) {
      const Index width = min_of(channels.panel, channels.outputs - panel);
      const Range runs = panel_runs(channels, panel);
      const Index count = runs.end - runs.begin, slice_runs = count * taps;
      for (Index i = 0; i < w.kernel[0] * slice_runs; ++i, packed += channels.run * width) {
        const Index of_slice = i % slice_runs;
        const Index tap = p.taps_first ? of_slice / count : of_slice % taps;
        const Index run = runs.begin + (p.taps_first ? of_slice % count : of_slice / taps);
        pack_tap(channels.joined, weights + i / slice_runs * taps + tap, all_taps, panel, width,
                 {run * channels.run, (run + 1) * channels.run}, packed);
      }
    }
  }
}

}  // namespace
}  // namespace strata::kernels
