#pragma once

#include "kernels/impl/window.h"

/// Pooling, tap by tap over whole rows of outputs, which stay in the nearest cache.
namespace strata::kernels {
namespace {

struct MaxOf {
  static constexpr float first = -__builtin_inff();
  Vf operator()(Vf a, Vf b) const { return maximum(a, b); }
  float operator()(float a, float b) const { return a != a || a >= b ? a : b; }
};

struct SumOf {
  static constexpr float first = 0;
  Vf operator()(Vf a, Vf b) const { return a + b; }
  float operator()(float a, float b) const { return a + b; }
};

/// y[i] = f(y[i], x[i * stride]).
template <class F>
inline void combine(const float* x, Index stride, float* y, Index n, F f) {
  Index i = 0;
  if (stride == 1) {
    for (; i + kLanes <= n; i += kLanes) store(y + i, f(load(y + i), load(x + i)));
  } else if (stride == 2) {
    for (; i + kLanes <= n; i += kLanes) store(y + i, f(load(y + i), load_even(x + 2 * i)));
  }
  for (; i < n; ++i) y[i] = f(y[i], x[i * stride]);
}

template <class F>
inline void pool_row(const Window& w, const float* x, Index z, Index y, float* out, F f) {
  for (Index i = 0; i < w.out[2]; ++i) out[i] = F::first;
  const Index taps = volume(w.kernel);
  for (Index tap = 0; tap < taps; ++tap) {
    const TapPlace t = place_tap(w, tap);
    const Index row = input_row(w, t, z, y);
    if (row < 0 || t.columns.begin >= t.columns.end) continue;
    const float* source = x + row + t.columns.begin * w.stride[2] + t.offset[2];
    combine(source, w.stride[2], out + t.columns.begin, t.columns.end - t.columns.begin, f);
  }
}

/// One axis of a window: taps at output * stride + i * dilation - pad lie in the input from 0 to
/// `in`.
struct AxisTaps {
  Index in;
  Index kernel;
  Index stride;
  Index dilation;
  Index pad;

  /// Taps of an output that lie in the input.
  Index count(Index output) const {
    const Index at = output * stride - pad;
    const Index begin = at >= 0 ? 0 : ceil_div(-at, dilation);
    const Index end = in <= at ? 0 : ceil_div(in - at, dilation);
    const Index taps = min_of(end, kernel) - begin;
    return taps > 0 ? taps : 0;
  }
};

/// The taps that an average divides by: with padding counted, the padded input is the input.
inline AxisTaps counted_taps(const Pool& p, int axis) {
  const Window& w = p.window;
  const Index padding = p.kind == PoolKind::average_include_pad ? w.pad[axis] + p.pad_end[axis] : 0;
  const Index pad = p.kind == PoolKind::average_include_pad ? 0 : w.pad[axis];
  return {w.in[axis] + padding, w.kernel[axis], w.stride[axis], w.dilation[axis], pad};
}

/// Divides a row of sums by the number of elements that went into each; `lines` is that of the
/// other axes.
inline void divide_row(const AxisTaps& taps, Index lines, float* out, Index n) {
  Index i = 0;
  while (i < n) {
    const Index count = taps.count(i);
    Index same = i + 1;
    if (count == taps.kernel) {  // all of the outputs whose last tap is still inside
      const Index reach = taps.in + taps.pad - 1 - (taps.kernel - 1) * taps.dilation;
      same = min_of(n, reach / taps.stride + 1);
    }
    const float divisor = static_cast<float>(count * lines);
    for (; i < same; ++i) out[i] /= divisor;
  }
}

inline void pool_plane(const Pool& p, const float* x, float* out) {
  const Window& w = p.window;
  const AxisTaps depth = counted_taps(p, 0);
  const AxisTaps height = counted_taps(p, 1);
  const AxisTaps width = counted_taps(p, 2);
  for (Index z = 0; z < w.out[0]; ++z) {
    for (Index y = 0; y < w.out[1]; ++y, out += w.out[2]) {
      if (p.kind == PoolKind::max) {
        pool_row(w, x, z, y, out, MaxOf{});
      } else {
        pool_row(w, x, z, y, out, SumOf{});
        divide_row(width, depth.count(z) * height.count(y), out, w.out[2]);
      }
    }
  }
}

void pool(const Pool& p, Range planes) noexcept {
  for (Index i = planes.begin; i < planes.end; ++i) {
    pool_plane(p, p.x + i * volume(p.window.in), p.y + i * volume(p.window.out));
  }
}

}  // namespace
}  // namespace strata::kernels
