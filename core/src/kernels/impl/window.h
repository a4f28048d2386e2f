#pragma once

#include "kernels/impl/gemm_pack.h"
#include "kernels/impl/index.h"

/// Where the taps of a sliding window meet the input, as runs of pixels along the last axis.
namespace strata::kernels {
namespace {

/// Outputs [x, x + size) of the output row (z, y); the first is the column `target` of a panel.
struct PixelRun {
  Index z;
  Index y;
  Index x;
  int target;
  int size;
};

/// Inputs source, source + stride, … that a tap reads for the columns [target, target + size) of a
/// panel.
struct InputRun {
  Index source;
  int target;
  int size;
};

/// Cuts a range of pixels, at most a panel, at the ends of output rows; returns the number of runs.
inline int pixel_runs(const Window& w, Range pixels, PixelRun* runs) {
  const Index width = w.out[2];
  Index row = pixels.begin / width;
  Index x = pixels.begin % width;
  int count = 0;
  for (Index done = pixels.begin; done < pixels.end; ++row, x = 0) {
    const Index size = min_of(width - x, pixels.end - done);
    runs[count++] = {row / w.out[1], row % w.out[1], x, static_cast<int>(done - pixels.begin),
                     static_cast<int>(size)};
    done += size;
  }
  return count;
}

/// The outputs along one axis for which a tap at `offset` (dilated, less the padding) lies in the
/// input.
inline Range valid_outputs(Index offset, Index stride, Index in, Index out) {
  // Most strides are 1, and a division takes as long as some taps.
  const auto steps_over = [=](Index n) { return stride == 1 ? n : ceil_div(n, stride); };
  const Index begin = offset >= 0 ? 0 : steps_over(-offset);
  const Index end = in <= offset ? 0 : steps_over(in - offset);
  return {begin, min_of(end, out)};
}

/// The input rows and columns of one tap.
struct TapPlace {
  Index offset[3];  ///< input coordinate of output 0
  Range columns;    ///< outputs along the last axis that read inside the input
};

inline TapPlace place_tap(const Window& w, Index tap) {
  const Index kx = tap % w.kernel[2];
  const Index ky = tap / w.kernel[2] % w.kernel[1];
  const Index kz = tap / (w.kernel[2] * w.kernel[1]);
  TapPlace t;
  t.offset[0] = kz * w.dilation[0] - w.pad[0];
  t.offset[1] = ky * w.dilation[1] - w.pad[1];
  t.offset[2] = kx * w.dilation[2] - w.pad[2];
  t.columns = valid_outputs(t.offset[2], w.stride[2], w.in[2], w.out[2]);
  return t;
}

/// The offset in the input of the row that a tap reads for the output row (z, y); -1 if in the
/// padding.
inline Index input_row(const Window& w, const TapPlace& t, Index z, Index y) {
  const Index iz = z * w.stride[0] + t.offset[0];
  const Index iy = y * w.stride[1] + t.offset[1];
  if (iz < 0 || iz >= w.in[0] || iy < 0 || iy >= w.in[1]) return -1;
  return (iz * w.in[1] + iy) * w.in[2];
}

/// The parts of some runs of pixels for which a tap lies in the input; returns their number.
inline int input_runs(const Window& w, Index tap, const PixelRun* pixels, int count,
                      InputRun* runs) {
  const TapPlace t = place_tap(w, tap);
  int used = 0;
  for (int i = 0; i < count; ++i) {
    const PixelRun& p = pixels[i];
    const Index row = input_row(w, t, p.z, p.y);
    const Index begin = p.x > t.columns.begin ? p.x : t.columns.begin;
    const Index end = min_of(p.x + p.size, t.columns.end);
    if (row < 0 || begin >= end) continue;
    runs[used++] = {row + begin * w.stride[2] + t.offset[2],
                    p.target + static_cast<int>(begin - p.x), static_cast<int>(end - begin)};
  }
  return used;
}

/// out[i] = source[i * stride], i < n. Put in place: for rows so short that a call would tell.
inline void copy_short_run(const float* source, Index stride, float* out, Index n) {
  Index i = 0;
  if (stride == 1) {
    for (; i + kLanes <= n; i += kLanes) store(out + i, load(source + i));
#if defined(__AVX512F__)
    if (i < n) store_first(out + i, load_first(source + i, n - i), n - i);
    return;
#else
    if (i < n && i > 0) return store(out + n - kLanes, load(source + n - kLanes));
    for (; i + 4 <= n; i += 4) store4(out + i, load4(source + i));
    if (i < n && i > 0) return store4(out + n - 4, load4(source + n - 4));
#endif
  } else if (stride == 2) {
    for (; i + kLanes <= n; i += kLanes) store(out + i, load_even(source + 2 * i));
    if (i < n && i > 0) return store(out + n - kLanes, load_even(source + 2 * (n - kLanes)));
    if (i < n && kLanes > 4) return store_first(out, load_first_even(source, n), n);
  }
  for (; i < n; ++i) out[i] = source[i * stride];
}

/// The same by a call, which is less code.
[[gnu::noinline]] void copy_run(const float* source, Index stride, float* out, Index n) {
  copy_short_run(source, stride, out, n);
}

}  // namespace
}  // namespace strata::kernels
