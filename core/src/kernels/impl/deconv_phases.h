#pragma once

#include "kernels/impl/window.h"

/// Phases of the transpose of a convolution, whose windows are those of the convolution: its inputs
/// are our outputs. Before anything is cut off, output j * stride + p of an axis, of phase p, is
/// reached by tap k from input j + shift, where p = k * dilation + shift * stride. So the outputs
/// of a phase are a convolution with unit stride by a part of the taps. Phases next to each other
/// that the same shifts reach are a run; a run of each axis makes a class, whose phases are
/// computed together.
namespace strata::kernels {
namespace {

inline Index floor_div(Index a, Index b) { return a >= 0 ? a / b : -ceil_div(-a, b); }

inline Index greatest_divisor(Index a, Index b) {
  while (b != 0) {
    const Index rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Taps along one axis that reach the same phase are `taps` apart, and their shifts `shifts`,
/// downwards.
struct TapStep {
  Index taps;
  Index shifts;
};

inline TapStep tap_step(const Window& w, int axis) {
  const Index common = greatest_divisor(w.stride[axis], w.dilation[axis]);
  return {w.stride[axis] / common, w.dilation[axis] / common};
}

/// The first tap that reaches a phase; that after the last if there is none.
[[gnu::noinline, gnu::cold]] inline Index first_tap(const Window& w, int axis, Index phase) {
  const Index most = min_of(tap_step(w, axis).taps, w.kernel[axis]);
  for (Index k = 0; k < most; ++k) {
    if ((phase - k * w.dilation[axis]) % w.stride[axis] == 0) return k;
  }
  return w.kernel[axis];
}

/// Phases [begin, end) of an axis, reached by `taps` taps, the first of them with `shift`.
struct PhaseRun {
  Index begin;
  Index end;
  Index taps;
  Index shift;
};

/// The run from a phase on; it ends there where that is the last one's end.
[[gnu::noinline]] inline PhaseRun phase_run(const Window& w, int axis, Index begin) {
  const auto reached = [&](Index phase) {
    const Index first = first_tap(w, axis, phase);
    const Index taps = ceil_div(w.kernel[axis] - first, tap_step(w, axis).taps);
    const Index shift = taps == 0 ? 0 : (phase - first * w.dilation[axis]) / w.stride[axis];
    return PhaseRun{phase, phase + 1, taps, shift};
  };
  if (begin >= w.stride[axis]) return {begin, begin, 0, 0};
  PhaseRun run = reached(begin);
  for (; run.end < w.stride[axis]; ++run.end) {
    const PhaseRun next = reached(run.end);
    if (next.taps != run.taps || next.shift != run.shift) break;
  }
  return run;
}

/// A run of each axis.
struct PhaseBox {
  PhaseRun runs[3];
  Index phases() const {
    Index count = 1;
    for (const PhaseRun& run : runs) count *= run.end - run.begin;
    return count;
  }
  Index taps() const { return runs[0].taps * runs[1].taps * runs[2].taps; }
};

/// Calls visit(box) for all classes.
template <class Visit>
inline void for_each_class(const Window& w, Visit visit) {
  for (PhaseRun z = phase_run(w, 0, 0); z.begin < z.end; z = phase_run(w, 0, z.end)) {
    for (PhaseRun y = phase_run(w, 1, 0); y.begin < y.end; y = phase_run(w, 1, y.end)) {
      for (PhaseRun x = phase_run(w, 2, 0); x.begin < x.end; x = phase_run(w, 2, x.end)) {
        visit(PhaseBox{{z, y, x}});
      }
    }
  }
}

/// Calls visit(z, y, x) for the phases of a class, in the order of its rows for one channel.
template <class Visit>
inline void for_each_phase(const PhaseBox& box, Visit visit) {
  for (Index z = box.runs[0].begin; z < box.runs[0].end; ++z) {
    for (Index y = box.runs[1].begin; y < box.runs[1].end; ++y) {
      for (Index x = box.runs[2].begin; x < box.runs[2].end; ++x) visit(z, y, x);
    }
  }
}

/// Calls visit(z, y, x) for the taps of a class, in the order of its steps.
template <class Visit>
inline void for_each_tap(const PhaseBox& box, Visit visit) {
  for (Index z = 0; z < box.runs[0].taps; ++z) {
    for (Index y = 0; y < box.runs[1].taps; ++y) {
      for (Index x = 0; x < box.runs[2].taps; ++x) visit(z, y, x);
    }
  }
}

}  // namespace
}  // namespace strata::kernels
