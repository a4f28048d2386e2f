#pragma once

#include "kernels/impl/direct_plan.h"

/// The weights of a direct convolution, packed in the order in which its tiles read them.
namespace strata::kernels {
namespace {

inline Index direct_weights_size(const BlockedShape& shape) {
  return shape.conv.groups * direct_plan(shape).weights.step;
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
  const Index slice_runs = p.in.runs * taps;
  const bool taps_first = has_taps_first(shape);
  for (Index g = 0; g < s.groups; ++g, weights += s.out_channels * lane_step) {
    for (Index panel = 0; panel < p.weights.channels; panel += kTileColumns) {
      const Index width = min_of(kTileColumns, p.weights.channels - panel);
      const Index lanes = min_of(width, s.out_channels - panel);
      for (Index i = 0; i < w.kernel[0] * slice_runs; ++i, packed += p.in.run * width) {
        const Index of_slice = i % slice_runs;
        const Index tap = taps_first ? of_slice / p.in.runs : of_slice % taps;
        const Index c = (taps_first ? of_slice % p.in.runs : of_slice / taps) * p.in.run;
        pack_tap(s,
                 weights + panel * lane_step + c * volume(w.kernel) + i / slice_runs * taps + tap,
                 s.in_channels - c, lanes, width, p.in.run, packed);
      }
    }
  }
}

}  // namespace
}  // namespace strata::kernels
