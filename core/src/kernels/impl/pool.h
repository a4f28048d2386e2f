#pragma once

#include "kernels/impl/window.h"

/// Pooling of planes, by pieces of rows: the rows of a window are folded into one line, in
/// registers, and the taps of the line into outputs.
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

constexpr Index kLine = 1024;    ///< floats of a line
constexpr Index kLines = 4;      ///< that are made one after the other
constexpr Index kLineRows = 64;  ///< rows of a window that are folded at once

/// Lanes p[0], p[stride], …, of which only n are needed, n > 0. `Stride` 0 stands for any.
template <int Stride>
inline Vf load_every(const float* p, Index stride, Index n) {
  if constexpr (Stride == 1) return load(p);
  if constexpr (Stride == 2) return load_even(p);
  Vf v{};
  for (Index i = 0; i < min_of(n, kLanes); ++i) v[i] = p[i * stride];
  return v;
}

/// Rows of inputs under a window, from where the window begins.
struct WindowRows {
  const float* rows[kLineRows];
  Index count = 0;
};

/// out[i] = f of all rows at i, i < n; `f.first` where there are none. `Count` of them, 0 for any
/// number.
template <int Count, class F>
inline void fold_rows(const WindowRows& w, Index begin, Index n, float* out, F f) {
  const Index count = Count > 0 ? Count : w.count;
  const auto fold = [&](Index i, auto load_at) {
    Vf total = count > 0 ? load_at(w.rows[0] + begin + i) : broadcast(F::first);
#pragma GCC unroll 4
    for (Index r = 1; r < count; ++r) total = f(total, load_at(w.rows[r] + begin + i));
    return total;
  };
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes)
    store(out + i, fold(i, [](const float* p) { return load(p); }));
  if (i == n) return;
  store_first(out + i, fold(i, [&](const float* p) { return load_first(p, n - i); }), n - i);
}

/// out[o] = f of the taps of output o on a line, which may be read a few vectors past its end.
/// `Taps` and `Stride` 0 stand for any.
template <int Taps, int Stride, class F>
inline void fold_taps(const Window& w, const float* line, Index n, float* out, F f) {
  const Index taps = Taps > 0 ? Taps : w.kernel[2], stride = Stride > 0 ? Stride : w.stride[2];
  const auto fold = [&](Index o) {
    const float* x = line + o * stride;
    Vf total = load_every<Stride>(x, stride, n - o);
#pragma GCC unroll 4
    for (Index t = 1; t < taps; ++t)
      total = f(total, load_every<Stride>(x + t * w.dilation[2], stride, n - o));
    return total;
  };
  Index o = 0;
  for (; o + kLanes <= n; o += kLanes) store(out + o, fold(o));
  if (o < n) store_first(out + o, fold(o), n - o);
}

template <class F>
inline void fold_any_rows(const WindowRows& w, Index begin, Index n, float* out, F f) {
  if (w.count == 3) return fold_rows<3>(w, begin, n, out, f);
  if (w.count == 2) return fold_rows<2>(w, begin, n, out, f);
  fold_rows<0>(w, begin, n, out, f);
}

/// Where inputs lie further apart: lane by lane.
template <class F>
[[gnu::noinline]] void fold_far_taps(const Window& w, const float* line, Index n, float* out, F f) {
  fold_taps<0, 0>(w, line, n, out, f);
}

template <class F>
inline void fold_any_taps(const Window& w, const float* line, Index n, float* out, F f) {
  const Index taps = w.kernel[2], stride = w.stride[2];
  if (stride == 1 && taps == 3) return fold_taps<3, 1>(w, line, n, out, f);
  if (stride == 2 && taps == 3) return fold_taps<3, 2>(w, line, n, out, f);
  if (stride == 2 && taps == 2) return fold_taps<2, 2>(w, line, n, out, f);
  if (stride == 1) return fold_taps<0, 1>(w, line, n, out, f);
  if (stride == 2) return fold_taps<0, 2>(w, line, n, out, f);
  fold_far_taps(w, line, n, out, f);
}

/// Row `row` of outputs, all planes of a volume counted on.
inline WindowRows rows_under(const Window& w, const float* x, Index row) {
  const Index z = row / w.out[1], y = row % w.out[1];
  WindowRows rows;
  for (Index kz = 0; kz < w.kernel[0]; ++kz) {
    const Index iz = z * w.stride[0] + kz * w.dilation[0] - w.pad[0];
    for (Index ky = 0; ky < w.kernel[1]; ++ky) {
      const Index iy = y * w.stride[1] + ky * w.dilation[1] - w.pad[1];
      if (iz >= 0 && iz < w.in[0] && iy >= 0 && iy < w.in[1])
        rows.rows[rows.count++] = x + (iz * w.in[1] + iy) * w.in[2];
    }
  }
  return rows;
}

/// Inputs along the last axis that one output is made of.
inline Index width_of(const Window& w) { return (w.kernel[2] - 1) * w.dilation[2] + 1; }

/// The line that outputs [columns.begin, columns.end) of a row are made of, at `buffer` or a little
/// after it so that its inputs begin a vector.
template <class F>
inline const float* fold_line(const Window& w, const WindowRows& rows, Range columns, float* buffer,
                              F f) {
  const Index size = (columns.end - columns.begin - 1) * w.stride[2] + width_of(w);
  const Index first = columns.begin * w.stride[2] - w.pad[2];
  const Index begin = first < 0 ? min_of(-first, size) : 0;
  const Index inside = min_of(w.in[2] - first, size), end = inside > begin ? inside : begin;
  float* line = buffer + (kLanes - begin % kLanes) % kLanes;
  for (Index i = 0; i < begin; ++i) line[i] = F::first;
  for (Index i = end; i < size; ++i) line[i] = F::first;
  fold_any_rows(rows, first + begin, end - begin, line + begin, f);
  return line;
}

/// A few rows, by pieces whose inputs fit into a line. All lines are made before they are read, so
/// that none waits for what was just written.
template <class F>
inline void pool_lines(const Window& w, const float* x, Range rows, float* out, F f) {
  alignas(64) float buffers[kLines][kLine + 4 * kLanes];
  const float* lines[kLines];
  const Index step = (kLine - width_of(w)) / w.stride[2] + 1, width = w.out[2];
  for (Index o = 0; o < width; o += step) {
    const Range columns{o, min_of(o + step, width)};
    for (Index r = rows.begin; r < rows.end; ++r)
      lines[r - rows.begin] =
          fold_line(w, rows_under(w, x, r), columns, buffers[r - rows.begin], f);
    for (Index r = rows.begin; r < rows.end; ++r)
      fold_any_taps(w, lines[r - rows.begin], columns.end - o, out + r * width + o, f);
  }
}

/// A window of very many taps, one after the other over whole rows of outputs.
template <class F>
[[gnu::noinline, gnu::cold]] void pool_taps(const Window& w, const float* x, Index row, float* out,
                                            F f) {
  for (Index i = 0; i < w.out[2]; ++i) out[i] = F::first;
  const Index taps = volume(w.kernel);
  for (Index tap = 0; tap < taps; ++tap) {
    const TapPlace t = place_tap(w, tap);
    const Index line = input_row(w, t, row / w.out[1], row % w.out[1]);
    if (line < 0) continue;
    const float* source = x + line + t.offset[2];
    for (Index i = t.columns.begin; i < t.columns.end; ++i)
      out[i] = f(out[i], source[i * w.stride[2]]);
  }
}

/// All rows of one plane or volume; calls `finish(row)` for each that is done.
template <class F, class Finish>
inline void pool_rows(const Window& w, const float* x, float* out, F f, Finish finish) {
  const Index rows = w.out[0] * w.out[1];
  const bool has_lines = 2 * width_of(w) <= kLine && w.kernel[0] * w.kernel[1] <= kLineRows;
  for (Index r = 0; r < rows; r += kLines) {
    const Range some{r, min_of(r + kLines, rows)};
    if (has_lines) pool_lines(w, x, some, out, f);
    for (Index row = some.begin; row < some.end; ++row) {
      if (!has_lines) pool_taps(w, x, row, out + row * w.out[2], f);
      finish(row);
    }
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

  /// Taps it takes to cover a length.
  Index steps(Index length) const { return dilation == 1 ? length : ceil_div(length, dilation); }

  /// Taps of an output that lie in the input.
  Index count(Index output) const {
    const Index at = output * stride - pad;
    if (at >= 0 && at + (kernel - 1) * dilation < in) return kernel;
    const Index begin = at >= 0 ? 0 : steps(-at);
    const Index end = in <= at ? 0 : steps(in - at);
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
[[gnu::noinline]] inline void divide_row(const AxisTaps& taps, Index lines, float* out, Index n) {
  Index i = 0;
  while (i < n) {
    const Index count = taps.count(i);
    Index same = i + 1;
    if (count == taps.kernel) {  // all of the outputs whose last tap is still inside
      const Index reach = taps.in + taps.pad - 1 - (taps.kernel - 1) * taps.dilation;
      same = min_of(n, (taps.stride == 1 ? reach : reach / taps.stride) + 1);
    }
    const float factor = 1 / static_cast<float>(max_of(count * lines, 1));  // of no taps it is 0
    for (; i < same; i += kLanes)
      store_upto(out + i, load_upto(out + i, same - i) * factor, same - i);
    i = same;
  }
}

/// out[i] *= factors[i].
inline void multiply_row(const float* factors, float* out, Index n) {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) store(out + i, load(out + i) * load(factors + i));
  if (i < n)
    store_first(out + i, load_first(out + i, n - i) * load_first(factors + i, n - i), n - i);
}

/// Most rows are sums of as many lines as a window has, whose factors are found once.
inline void average_plane(const Pool& p, const float* x, float* out) {
  const Window& w = p.window;
  const AxisTaps depth = counted_taps(p, 0), height = counted_taps(p, 1),
                 width = counted_taps(p, 2);
  const Index columns = w.out[2], lines_of_all = w.kernel[0] * w.kernel[1];
  float factors[kLine];
  const bool fits = columns <= kLine;
  if (fits) {
    for (Index i = 0; i < columns; i += kLanes) store(factors + i, broadcast(1.0f));
    divide_row(width, lines_of_all, factors, columns);
  }
  pool_rows(w, x, out, SumOf{}, [&](Index row) {
    const Index lines = depth.count(row / w.out[1]) * height.count(row % w.out[1]);
    if (fits && lines == lines_of_all)
      multiply_row(factors, out + row * columns, columns);
    else
      divide_row(width, lines, out + row * columns, columns);
  });
}

inline void pool_plane(const Pool& p, const float* x, float* out) {
  if (p.kind == PoolKind::max) return pool_rows(p.window, x, out, MaxOf{}, [](Index) {});
  average_plane(p, x, out);
}

void pool(const Pool& p, Range planes) noexcept {
  for (Index i = planes.begin; i < planes.end; ++i) {
    pool_plane(p, p.x + i * volume(p.window.in), p.y + i * volume(p.window.out));
  }
}

}  // namespace
}  // namespace strata::kernels
