#pragma once

#include <utility>

#include "kernels/impl/unary.h"
#include "kernels/impl/window.h"

/// Convolution of one input channel with one kernel. The input is first copied to a padded plane
/// whose rows are cut into `stride` phases (all x = p, p + stride, …), so that each tap of a row of
/// outputs reads contiguous floats.
namespace strata::kernels {
namespace {

constexpr int kDepthwiseRows = 4;  ///< of outputs at once, where windows are plain

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

/// How far plain windows of taps x taps may move at a time: for many taps, code for two is long.
constexpr Index most_stride(Index taps) { return taps == 3 ? 2 : 1; }

/// Whether a window is one of taps x taps, without dilation, that moves as far both ways.
inline bool is_plain(const Window& w, Index taps) {
  return w.kernel[0] == 1 && w.kernel[1] == taps && w.kernel[2] == taps &&
         w.stride[1] <= most_stride(taps) && w.stride[2] == w.stride[1] && w.dilation[1] == 1 &&
         w.dilation[2] == 1;
}

/// Rows of outputs that are computed at once.
inline Index rows_at_once(const Window& w) {
  return is_plain(w, 3) || is_plain(w, 5) ? kDepthwiseRows : 1;
}

/// Floats of a padded plane, with rows behind it that the last rows of outputs at once may read.
inline Index depthwise_scratch(const Window& w) {
  const PaddedPlane p = padded_plane(w);
  return (p.size[0] * p.size[1] + (rows_at_once(w) - 1) * w.stride[1]) * p.row;
}

/// Copies the inputs of one phase of all rows; the padding around them is zero already.
inline void fill_phase(const Window& w, const PaddedPlane& p, Index phase, const float* x,
                       float* out) {
  const Index stride = w.stride[2], offset = phase - w.pad[2];
  const Range inside = valid_outputs(offset, stride, w.in[2], p.phase);
  if (inside.begin >= inside.end) return;
  x += inside.begin * stride + offset;
  out += phase * p.phase + inside.begin;
  for (Index z = 0; z < p.size[0]; ++z) {
    for (Index y = 0; y < p.size[1]; ++y, out += p.row) {
      const Index iz = z - w.pad[0];
      const Index iy = y - w.pad[1];
      if (iz < 0 || iz >= w.in[0] || iy < 0 || iy >= w.in[1]) continue;
      copy_short_run(x + (iz * w.in[1] + iy) * w.in[2], stride, out, inside.end - inside.begin);
    }
  }
}

inline void fill_plane(const Window& w, const PaddedPlane& p, const float* x, float* out) {
  for (Index phase = 0; phase < w.stride[2]; ++phase) fill_phase(w, p, phase, x, out);
}

/// V vectors of outputs of one row, from the padded row that its first tap reads.
template <int V>
inline void sum_taps(const Window& w, const PaddedPlane& p, const float* row, const float* weights,
                     Vf (&sum)[1][V]) {
  for (Index z = 0; z < w.kernel[0]; ++z) {
    for (Index y = 0; y < w.kernel[1]; ++y) {
      const float* line = row + (z * w.dilation[0] * p.size[1] + y * w.dilation[1]) * p.row;
      Index phase = 0;
      for (Index x = 0; x < w.kernel[2]; ++x) {
        const Vf weight = broadcast(*weights++);
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) sum[0][v] = fma(weight, load(line + v * kLanes), sum[0][v]);
        line += w.dilation[2] * p.phase;
        for (phase += w.dilation[2]; phase >= w.stride[2]; phase -= w.stride[2]) line += 1 - p.row;
      }
    }
  }
}

/// Adds what row I of the input is to V vectors of R rows of outputs of a plain window of K x K
/// taps that moves by S: what is loaded serves all rows of outputs that it reaches.
template <int I, int K, int S, int R, int V>
inline void add_row(const PaddedPlane& p, const float* row, const float* weights, Vf (&sum)[R][V]) {
  constexpr int first = I < K ? 0 : (I - K) / S + 1, last = I / S < R ? I / S + 1 : R;
  for (int x = 0; x < K; ++x, ++weights) {
    Vf source[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      source[v] = load(row + v * kLanes);
      keep_in_register(source[v]);
    }
#pragma GCC unroll 4
    for (int r = first; r < last; ++r) {
      const Vf weight = broadcast(weights[(I - r * S) * K]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[r][v] = fma(weight, source[v], sum[r][v]);
    }
    const Index to_next_phase = x % 2 == 0 ? p.phase : 1 - p.phase;
    row += S == 1 ? 1 : to_next_phase;
  }
}

/// All that reaches R rows of outputs, from the padded row on that the first of them reads.
template <int K, int S, int R, int V, int... I>
inline void sum_plain(const PaddedPlane& p, const float* row, const float* weights, Vf (&sum)[R][V],
                      std::integer_sequence<int, I...>) {
  (add_row<I, K, S>(p, row + I * p.row, weights, sum), ...);
}

/// Rows of outputs of one channel, `y_step` apart, from the padded row that the first one reads.
struct DepthwiseRows {
  const float* row;
  const float* weights;
  float bias;
  ClipRange range;
  float* y;
  Index y_step;
  Index count;
  const float* end;  ///< of the channel's outputs
};

/// Finishes V vectors from column x on, of as many of R rows as there are. Where rows are finished
/// from left to right and one after the other, a vector may run over into the next one.
template <int R, int V>
inline void finish_rows(const DepthwiseRows& rows, Index columns, Index x, Vf (&sum)[R][V]) {
  const bool in_order = R == 1 || columns <= V * kLanes;
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    if (r >= rows.count) return;
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const Index left = columns - x - v * kLanes, at = r * rows.y_step + x + v * kLanes;
      const Vf total = clip(sum[r][v] + rows.bias, rows.range.low, rows.range.high);
      float* const y = rows.y + at;
      if (left >= kLanes || (in_order && rows.end - y >= kLanes))
        store(y, total);
      else
        store_first(y, total, left);
    }
  }
}

/// The rows of the input that kDepthwiseRows rows of outputs of K taps read, S apart.
template <int K, int S>
constexpr std::make_integer_sequence<int, (kDepthwiseRows - 1) * S + K> kRowsRead{};

/// V vectors of kDepthwiseRows rows of a plain window of K x K taps.
template <int K, int V>
inline void plain_vectors(const Window& w, const PaddedPlane& p, const DepthwiseRows& rows,
                          Index x) {
  constexpr int most = most_stride(K);
  Vf sum[kDepthwiseRows][V] = {};
  if (most == 1 || w.stride[1] == 1)
    sum_plain<K, 1>(p, rows.row + x, rows.weights, sum, kRowsRead<K, 1>);
  else
    sum_plain<K, most>(p, rows.row + x, rows.weights, sum, kRowsRead<K, most>);
  finish_rows(rows, w.out[2], x, sum);
}

/// kDepthwiseRows rows of a plain window of K x K taps.
template <int K>
inline void plain_rows(const Window& w, const PaddedPlane& p, const DepthwiseRows& rows) {
  Index x = 0;
  for (; x + kLanes < w.out[2]; x += 2 * kLanes) plain_vectors<K, 2>(w, p, rows, x);
  for (; x < w.out[2]; x += kLanes) plain_vectors<K, 1>(w, p, rows, x);
}

/// V vectors of one row of any window.
template <int V>
inline void window_vectors(const Window& w, const PaddedPlane& p, const DepthwiseRows& rows,
                           Index x) {
  Vf sum[1][V] = {};
  sum_taps<V>(w, p, rows.row + x, rows.weights, sum);
  finish_rows(rows, w.out[2], x, sum);
}

inline void depthwise_rows(const Window& w, const PaddedPlane& p, const DepthwiseRows& rows) {
  if (is_plain(w, 3)) return plain_rows<3>(w, p, rows);
  if (is_plain(w, 5)) return plain_rows<5>(w, p, rows);
  Index x = 0;
  for (; x + 3 * kLanes < w.out[2]; x += 4 * kLanes) window_vectors<4>(w, p, rows, x);
  for (; x < w.out[2]; x += kLanes) window_vectors<1>(w, p, rows, x);
}

/// Adds n residuals to finished outputs, which are clipped afterwards.
inline void add_residual(const float* residual, ClipRange range, Index n, float* y) {
  for (Index i = 0; i < n; i += kLanes) {
    const Vf sum = load_upto(y + i, n - i) + load_upto(residual + i, n - i);
    store_upto(y + i, clip(sum, range.low, range.high), n - i);
  }
}

/// One output channel of one image.
inline void depthwise_channel(const Conv& conv, Index channel, const float* plane, Index y) {
  const Window& w = conv.shape.window;
  const PaddedPlane p = padded_plane(w);
  const Index step = rows_at_once(w);
  DepthwiseRows rows{};
  rows.weights = conv.packed_weights + channel * volume(w.kernel);
  rows.bias = conv.bias ? conv.bias[channel] : 0;
  rows.range = clip_range(conv.residual ? UnaryFunction{} : conv.activation);
  rows.y_step = w.out[2];
  rows.end = conv.y + y + volume(w.out);
  for (Index oz = 0; oz < w.out[0]; ++oz) {
    for (Index oy = 0; oy < w.out[1]; oy += step) {
      const Index at = y + (oz * w.out[1] + oy) * w.out[2];
      rows.row = plane + (oz * w.stride[0] * p.size[1] + oy * w.stride[1]) * p.row;
      rows.y = conv.y + at;
      rows.count = min_of(step, w.out[1] - oy);
      depthwise_rows(w, p, rows);
    }
  }
  const Index size = volume(w.out);
  if (conv.residual) add_residual(conv.residual + y, clip_range(conv.activation), size, conv.y + y);
  if (!is_clip(conv.activation.op) && conv.activation.op != Unary::identity)
    unary(conv.activation, conv.y + y, conv.y + y, size);
}

/// A task is one output channel of one image.
inline void depthwise(const Conv& conv, Range tasks, float* scratch) {
  const ConvShape& s = conv.shape;
  const PaddedPlane p = padded_plane(s.window);
  const Index channels = s.groups * s.out_channels;
  Index filled = -1;
  const Index size = depthwise_scratch(s.window);
  for (Index i = 0; i < size; ++i) scratch[i] = 0;
  for (Index t = tasks.begin; t < tasks.end; ++t) {
    const Index group = t / channels * s.groups + t % channels / s.out_channels;
    if (group != filled) fill_plane(s.window, p, conv.x + group * volume(s.window.in), scratch);
    filled = group;
    depthwise_channel(conv, t % channels, scratch, t * volume(s.window.out));
  }
}

}  // namespace
}  // namespace strata::kernels
