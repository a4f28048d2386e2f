#pragma once

#include "kernels/impl/unary.h"
#include "kernels/impl/window.h"

/// Convolution of one input channel with one kernel. The input is first copied to a padded plane
/// whose rows are cut into `stride` phases (all x = p, p + stride, …), so that each tap of a row of
/// outputs reads contiguous floats.
namespace strata::kernels {
namespace {

struct PaddedPlane {
  Index size[3];  ///< padded input that the window touches
  Index phase;    ///< floats of one phase of a row
  Index row;      ///< floats of a row, all phases
};

inline PaddedPlane padded_plane(const Window& w) {
  PaddedPlane p;
  for (int i = 0; i < 3; ++i) {
    p.size[i] = (w.out[i] - 1) * w.stride[i] + (w.kernel[i] - 1) * w.dilation[i] + 1;
  }
  const Index whole = round_up(w.out[2], kLanes);  // the last vector of a row may run over
  p.phase = whole + ((w.kernel[2] - 1) * w.dilation[2]) / w.stride[2] + 1;
  p.row = p.phase * w.stride[2];
  return p;
}

inline Index depthwise_scratch(const Window& w) {
  const PaddedPlane p = padded_plane(w);
  return p.size[0] * p.size[1] * p.row;
}

/// Copies one row of the input, in phases; the padding around it is zero already.
inline void fill_row(const Window& w, const PaddedPlane& p, const float* x, float* out) {
  const Index stride = w.stride[2];
  for (Index phase = 0; phase < stride; ++phase, out += p.phase) {
    const Index offset = phase - w.pad[2];
    const Range inside = valid_outputs(offset, stride, w.in[2], p.phase);
    if (inside.begin >= inside.end) continue;
    copy_run(x + inside.begin * stride + offset, stride, out + inside.begin,
             inside.end - inside.begin);
  }
}

inline void fill_plane(const Window& w, const PaddedPlane& p, const float* x, float* out) {
  for (Index z = 0; z < p.size[0]; ++z) {
    for (Index y = 0; y < p.size[1]; ++y, out += p.row) {
      const Index iz = z - w.pad[0];
      const Index iy = y - w.pad[1];
      if (iz < 0 || iz >= w.in[0] || iy < 0 || iy >= w.in[1]) continue;
      fill_row(w, p, x + (iz * w.in[1] + iy) * w.in[2], out);
    }
  }
}

/// V vectors of outputs of one row, from the padded row that its first tap reads.
template <int V>
inline void sum_taps(const Window& w, const PaddedPlane& p, const float* row, const float* weights,
                     Vf (&sum)[V]) {
  for (Index z = 0; z < w.kernel[0]; ++z) {
    for (Index y = 0; y < w.kernel[1]; ++y) {
      const float* line = row + (z * w.dilation[0] * p.size[1] + y * w.dilation[1]) * p.row;
      for (Index x = 0; x < w.kernel[2]; ++x) {
        const Index at = x * w.dilation[2];
        const float* source = line + at % w.stride[2] * p.phase + at / w.stride[2];
        const Vf weight = broadcast(*weights++);
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) sum[v] = fma(weight, load(source + v * kLanes), sum[v]);
      }
    }
  }
}

/// The same for a window of Y x X taps with unit dilation and stride, whose weights stay in
/// registers.
template <int V, int Y, int X>
inline void sum_taps_fixed(Index row_step, const float* row, const float* weights, Vf (&sum)[V]) {
#pragma GCC unroll 8
  for (int y = 0; y < Y; ++y) {
#pragma GCC unroll 8
    for (int x = 0; x < X; ++x) {
      const Vf weight = broadcast(weights[y * X + x]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        sum[v] = fma(weight, load(row + y * row_step + x + v * kLanes), sum[v]);
      }
    }
  }
}

inline bool is_plain(const Window& w, Index taps) {
  return w.kernel[0] == 1 && w.kernel[1] == taps && w.kernel[2] == taps && w.stride[2] == 1 &&
         w.dilation[1] == 1 && w.dilation[2] == 1;
}

struct DepthwiseRow {
  const float* row;
  const float* weights;
  float bias;
  float low;
  float high;
  const float* residual;  ///< or null
  float* y;
};

template <int V>
inline void depthwise_vectors(const Window& w, const PaddedPlane& p, const DepthwiseRow& r,
                              Index x) {
  Vf sum[V] = {};
  if (is_plain(w, 3)) {
    sum_taps_fixed<V, 3, 3>(p.row, r.row + x, r.weights, sum);
  } else if (is_plain(w, 5)) {
    sum_taps_fixed<V, 5, 5>(p.row, r.row + x, r.weights, sum);
  } else {
    sum_taps<V>(w, p, r.row + x, r.weights, sum);
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    const Index at = x + v * kLanes;
    const Index left = w.out[2] - at;
    sum[v] += r.bias;
    if (r.residual) {
      sum[v] += left >= kLanes ? load(r.residual + at) : load_first(r.residual + at, left);
    }
    sum[v] = clip(sum[v], r.low, r.high);
    if (left >= kLanes) {
      store(r.y + at, sum[v]);
    } else {
      store_first(r.y + at, sum[v], left);
    }
  }
}

inline void depthwise_row(const Window& w, const PaddedPlane& p, const DepthwiseRow& r) {
  Index x = 0;
  for (; x + 3 * kLanes < w.out[2]; x += 4 * kLanes) depthwise_vectors<4>(w, p, r, x);
  for (; x + kLanes < w.out[2]; x += 2 * kLanes) depthwise_vectors<2>(w, p, r, x);
  for (; x < w.out[2]; x += kLanes) depthwise_vectors<1>(w, p, r, x);
}

/// One output channel of one image.
inline void depthwise_channel(const Conv& conv, Index channel, const float* plane, Index y) {
  const Window& w = conv.shape.window;
  const PaddedPlane p = padded_plane(w);
  DepthwiseRow r{};
  r.weights = conv.packed_weights + channel * volume(w.kernel);
  r.bias = conv.bias ? conv.bias[channel] : 0;
  const ClipRange range = clip_range(conv.activation);
  r.low = range.low;
  r.high = range.high;
  for (Index oz = 0; oz < w.out[0]; ++oz) {
    for (Index oy = 0; oy < w.out[1]; ++oy) {
      const Index at = y + (oz * w.out[1] + oy) * w.out[2];
      r.row = plane + (oz * w.stride[0] * p.size[1] + oy * w.stride[1]) * p.row;
      r.residual = conv.residual ? conv.residual + at : nullptr;
      r.y = conv.y + at;
      depthwise_row(w, p, r);
    }
  }
  if (!is_clip(conv.activation.op) && conv.activation.op != Unary::identity) {
    unary(conv.activation, conv.y + y, conv.y + y, volume(w.out));
  }
}

/// A task is one output channel of one image.
inline void depthwise(const Conv& conv, Range tasks, float* scratch) {
  const ConvShape& s = conv.shape;
  const PaddedPlane p = padded_plane(s.window);
  const Index channels = s.groups * s.out_channels;
  Index filled = -1;
  for (Index i = 0; i < depthwise_scratch(s.window); ++i) scratch[i] = 0;
  for (Index t = tasks.begin; t < tasks.end; ++t) {
    const Index group = t / channels * s.groups + t % channels / s.out_channels;
    if (group != filled) fill_plane(s.window, p, conv.x + group * volume(s.window.in), scratch);
    filled = group;
    depthwise_channel(conv, t % channels, scratch, t * volume(s.window.out));
  }
}

}  // namespace
}  // namespace strata::kernels
