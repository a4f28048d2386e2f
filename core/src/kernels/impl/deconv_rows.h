#pragma once

#include "kernels/impl/pairs.h"
#include "kernels/impl/unary.h"
#include "kernels/impl/window.h"

/// Rows of outputs of the transpose of a convolution, summed up from rows that its taps make of the
/// inputs. Windows are those of the convolution: its inputs are our outputs.
namespace strata::kernels {
namespace {

inline Index floor_div(Index a, Index b) { return a >= 0 ? a / b : -ceil_div(-a, b); }

/// What the inputs become under each tap of one channel: rows of inputs, each times its factor.
struct TapRows {
  const float* data;
  Index step;            ///< between taps
  const float* factors;  ///< one a tap
  Index factor_step;     ///< 0: the same for all
};

/// y[i] += factor * x[i].
inline void add_run(const float* x, float factor, float* y, Index n) {
  const Vf f = broadcast(factor);
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, fma(f, load(x + i), load(y + i)));
  if (i == n) return;
  store_first(y + i, fma(f, load_first(x + i, n - i), load_first(y + i, n - i)), n - i);
}

/// Outputs p, p + stride, … of a row lie side by side in `lanes` + p * step.
struct RowPhases {
  float* lanes;
  Index step;
  Index stride;
};

inline RowPhases row_phases(const Window& w, float* scratch, float* y) {
  const Index stride = w.stride[2];
  return {stride == 1 ? y : scratch, ceil_div(w.in[2], stride), stride};
}

/// Adds the row that one tap makes of one row of inputs; `at` is where its input 0 goes.
inline void add_tap(const Window& w, const float* x, float factor, Index at,
                    const RowPhases& phases) {
  const Index shift = floor_div(at, phases.stride), phase = at - shift * phases.stride;
  const Index size = ceil_div(w.in[2] - phase, phases.stride);
  const Index begin = shift < 0 ? -shift : 0, end = min_of(w.out[2], size - shift);
  if (begin >= end) return;
  add_run(x + begin, factor, phases.lanes + phase * phases.step + begin + shift, end - begin);
}

/// The input along an axis that tap k takes to output o; -1 if there is none.
inline Index input_of(const Window& w, int axis, Index o, Index k) {
  const Index at = o + w.pad[axis] - k * w.dilation[axis];
  if (at < 0 || at % w.stride[axis] != 0 || at >= w.out[axis] * w.stride[axis]) return -1;
  return at / w.stride[axis];
}

/// Calls `visit(x, tap)` for each row x of inputs that reaches the row (z, y) of outputs by `tap`,
/// the first of a row of taps.
template <class Visit>
inline void for_each_row(const Window& w, const TapRows& rows, Index z, Index y, Visit visit) {
  for (Index kz = 0; kz < w.kernel[0]; ++kz) {
    const Index iz = input_of(w, 0, z, kz);
    if (iz < 0) continue;
    for (Index ky = 0; ky < w.kernel[1]; ++ky) {
      const Index iy = input_of(w, 1, y, ky);
      const Index tap = (kz * w.kernel[1] + ky) * w.kernel[2];
      if (iy >= 0) visit(rows.data + tap * rows.step + (iz * w.out[1] + iy) * w.out[2], tap);
    }
  }
}

/// Adds all that reaches the row (z, y) of outputs.
inline void add_taps(const Window& w, const TapRows& rows, Index z, Index y,
                     const RowPhases& phases) {
  for_each_row(w, rows, z, y, [&](const float* x, Index tap) {
    for (Index kx = 0; kx < w.kernel[2]; ++kx) {
      add_tap(w, x + kx * rows.step, rows.factors[(tap + kx) * rows.factor_step],
              kx * w.dilation[2] - w.pad[2], phases);
    }
  });
}

/// Writes a row of n outputs from its phases.
inline void join_phases(const RowPhases& phases, float* y, Index n) {
  if (phases.stride == 1) return;
  Index done = 0;
  if (phases.stride == 2) {
    const float *even = phases.lanes, *odd = even + phases.step;
    for (; 2 * (done + kLanes) <= n; done += kLanes)
      store_pairs(y + 2 * done, load(even + done), load(odd + done));
  }
  for (Index phase = 0; phase < phases.stride; ++phase) {
    const float* from = phases.lanes + phase * phases.step;
    for (Index i = done, at = done * phases.stride + phase; at < n; ++i, at += phases.stride)
      y[at] = from[i];
  }
}

/// Whether rows lie side by side in pairs: two taps next to each other that never meet.
inline bool makes_pairs(const Window& w) {
  for (int i = 0; i < 2; ++i) {
    if ((w.kernel[i] - 1) * w.dilation[i] >= w.stride[i]) return false;
  }
  return w.stride[2] == 2 && w.kernel[2] == 2 && w.dilation[2] == 1 && w.pad[2] == 0 &&
         w.in[2] == 2 * w.out[2];
}

/// y[2 i + k] = x[i + k * step] * factors[k * factor_step] + bias, i < n.
inline void place_pairs(const float* x, const TapRows& rows, const float* factors, float bias,
                        float* y, Index n) {
  const float *odd = x + rows.step, f = factors[0], g = factors[rows.factor_step];
  const Vf b = broadcast(bias);
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store_pairs(y + 2 * i, fma(broadcast(f), load(x + i), b), fma(broadcast(g), load(odd + i), b));
  }
  for (; i < n; ++i) {
    y[2 * i] = f * x[i] + bias;
    y[2 * i + 1] = g * odd[i] + bias;
  }
}

/// The row (z, y) of outputs, written to `out`.
inline void sum_row(const Window& w, const TapRows& rows, Index z, Index y, float bias,
                    float* scratch, float* out) {
  if (makes_pairs(w)) {
    bool is_placed = false;
    for_each_row(w, rows, z, y, [&](const float* x, Index tap) {
      place_pairs(x, rows, rows.factors + tap * rows.factor_step, bias, out, w.out[2]);
      is_placed = true;
    });
    if (is_placed) return;
  }
  const RowPhases phases = row_phases(w, scratch, out);
  for (Index i = 0; i < phases.stride * phases.step; ++i) phases.lanes[i] = bias;
  add_taps(w, rows, z, y, phases);
  join_phases(phases, out, w.in[2]);
}

/// All outputs of one channel in a strip.
inline void sum_channel(const Window& w, const TapRows& rows, float bias,
                        const UnaryFunction& activation, float* scratch, float* y) {
  for (Index oz = 0; oz < w.in[0]; ++oz) {
    for (Index oy = 0; oy < w.in[1]; ++oy, y += w.in[2]) {
      sum_row(w, rows, oz, oy, bias, scratch, y);
      if (activation.op != Unary::identity) unary(activation, y, y, w.in[2]);
    }
  }
}

}  // namespace
}  // namespace strata::kernels
