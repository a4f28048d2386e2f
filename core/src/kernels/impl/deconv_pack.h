#pragma once

#include "kernels/impl/deconv_plan.h"

/// Packed weights of the transpose of a convolution, by classes, and packed strips of its inputs.
namespace strata::kernels {
namespace {

Index deconv_weights_size(const ConvShape& s) noexcept {
  const DeconvPlan plan = plan_deconv(s);
  return s.groups * plan.blocks * block_weights(s, plan);
}

/// Packs the weights of one class for channels [channels.begin, channels.end) of a group, whose
/// weights begin at `weights`.
inline void pack_class(const ConvShape& s, const DeconvPlan& plan, const PhaseBox& box,
                       Range channels, const float* weights, float* packed) {
  const Window& w = s.window;
  const Index taps = volume(w.kernel), width = class_panel(plan, box);
  const Index depth = box.taps() * s.out_channels;
  Index row = 0;
  for (Index m = channels.begin; m < channels.end; ++m) {
    for_each_phase(box, [&](Index z, Index y, Index x) {
      float* to = packed + (row - row % width) * depth + row % width;
      const Index first[3] = {first_tap(w, 0, z), first_tap(w, 1, y), first_tap(w, 2, x)};
      for_each_tap(box, [&](Index tz, Index ty, Index tx) {
        const Index tap = ((first[0] + tz * tap_step(w, 0).taps) * w.kernel[1] + first[1] +
                           ty * tap_step(w, 1).taps) *
                              w.kernel[2] +
                          first[2] + tx * tap_step(w, 2).taps;
        for (Index c = 0; c < s.out_channels; ++c, to += width) {
          *to = weights[(c * s.in_channels + m) * taps + tap];
        }
      });
      ++row;
    });
  }
}

[[gnu::cold]] void pack_deconv_weights(const ConvShape& s, const float* weights,
                                       float* packed) noexcept {
  const DeconvPlan plan = plan_deconv(s);
  const Index group = s.out_channels * s.in_channels * volume(s.window.kernel);
  for (Index g = 0; g < s.groups; ++g, weights += group) {
    for (Index m = 0; m < s.in_channels; m += plan.group) {
      const Range channels{m, min_of(m + plan.group, s.in_channels)};
      for_each_class(s.window, [&](const PhaseBox& box) {
        pack_class(s, plan, box, channels, weights, packed);
        packed += class_weights(s, plan, box);
      });
    }
  }
}

/// A strip: its places, and their inputs, packed.
struct DeconvStrip {
  Index begin[3];  ///< the first place
  Index places[3];
  Index extent[3];  ///< inputs
};

inline DeconvStrip strip_of(const DeconvPlan& plan, Index index) {
  DeconvStrip strip{};
  for (int a = 0; a < 3; ++a) {
    strip.begin[a] = plan.first[a];
    strip.places[a] = plan.places[a];
  }
  const Index done = index * plan.step;
  strip.begin[plan.axis] += done;
  strip.places[plan.axis] = min_of(plan.step, plan.places[plan.axis] - done);
  for (int a = 0; a < 3; ++a) strip.extent[a] = strip.places[a] + plan.reach[a];
  return strip;
}

inline void fill_zeros(float* y, Index n) {
  for (Index i = 0; i < n; ++i) y[i] = 0;
}

/// Packs some inputs of a row of `size`, zeros where there are none.
inline void pack_input_row(const float* row, Index size, Range inputs, float* out) {
  const Index n = inputs.end - inputs.begin, first = inputs.begin;
  const Index before = min_of(n, max_of(-first, 0));
  const Index after = min_of(n, max_of(size - first, before));
  fill_zeros(out, before);
  copy_run(row + first + before, 1, out + before, after - before);
  fill_zeros(out + after, n - after);
}

/// Packs the inputs of a strip, channels `plan.plane` apart.
inline void pack_strip(const ConvShape& s, const DeconvPlan& plan, const DeconvStrip& strip,
                       const float* x, float* out) {
  const Window& w = s.window;
  const auto inputs = [&](int a) {
    const Index begin = strip.begin[a] - plan.reach[a];
    return Range{begin, begin + strip.extent[a]};
  };
  const Range slices = inputs(0);
  Range rows = inputs(1), columns = inputs(2);
  Index height = w.out[1], width = w.out[2];
  if (columns.begin == 0 && columns.end == width) {  // rows without padding are one long row
    columns = {rows.begin * width, rows.end * width};
    rows = {0, 1};
    width *= height;
    height = 1;
  }
  const Index row_size = columns.end - columns.begin;
  for (Index c = 0; c < s.out_channels; ++c, x += volume(w.out), out += plan.plane) {
    float* to = out;
    for (Index z = slices.begin; z < slices.end; ++z) {
      for (Index y = rows.begin; y < rows.end; ++y, to += row_size) {
        const bool is_there = z >= 0 && z < w.out[0] && y >= 0 && y < height;
        const float* from = is_there ? x + (z * height + y) * width : x;
        pack_input_row(from, is_there ? width : 0, columns, to);
      }
    }
  }
}

/// A run of floats of each of some channels, which are fetched one by one while tiles are computed.
struct RunsAhead {
  const float* first;
  Index plane;     ///< floats between channels
  Index size;      ///< floats of a run
  Index channels;  ///< that are left
};

/// Inputs of the strip after this one: none after the last of an image.
inline RunsAhead inputs_after(const Deconv& d, const DeconvPlan& plan, const DeconvStrip& strip,
                              const float* x) {
  const Window& w = d.shape.window;
  const Index slab = slab_of(w.out, plan.axis);
  const Index begin = strip.begin[plan.axis] + strip.places[plan.axis];
  const Index end = min_of(begin + plan.step, w.out[plan.axis]);
  if (begin < 0 || begin >= end) return {};
  return {x + begin * slab, volume(w.out), (end - begin) * slab, d.shape.out_channels};
}

}  // namespace
}  // namespace strata::kernels
