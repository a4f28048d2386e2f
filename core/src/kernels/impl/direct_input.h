#pragma once

#include "kernels/impl/direct_plan.h"

/// What a task of a direct convolution reads: rows of the image in place, or a copy of them with
/// their padding.
namespace strata::kernels {
namespace {

/// The floats that a task reads: of each slice of the kernel that reads inputs, `units` of rows.
struct DirectInput {
  const float* data;  ///< of the first slice, be it inside or not
  Range slices;       ///< those inside
  Index slice_step;
  Index unit_step;
  Index row_step;
};

inline void fill_zero(float* out, Index n) {
  for (Index i = 0; i < n; ++i) out[i] = 0;
}

/// One row from column `first` on, with its padding.
inline void copy_padded_row(const Window& w, const DirectPlan& p, const float* from, Index first,
                            float* to) {
  const Index begin = min_of(max_of(-first, 0), p.reads.columns);
  const Index end = max_of(min_of(w.in[2] - first, p.reads.columns), begin);
  fill_zero(to, begin * p.channels.unit);
  copy_run(from + (first + begin) * p.channels.unit, 1, to + begin * p.channels.unit,
           (end - begin) * p.channels.unit);
  fill_zero(to + end * p.channels.unit, (p.reads.columns - end) * p.channels.unit);
}

/// The slices of the kernel that read inputs for the outputs of a slice.
inline Range slices_inside(const Window& w, Index out) {
  const Index first = out * w.stride[0] - w.pad[0], step = w.dilation[0];
  const Index begin = first < 0 ? ceil_div(-first, step) : 0;
  const Index end = first < w.in[0] ? ceil_div(w.in[0] - first, step) : 0;
  return {min_of(begin, w.kernel[0]), min_of(end, w.kernel[0])};
}

/// Where the first output of a task is.
struct DirectPlace {
  Index slice;
  Index row;
  Index column;
};

/// Some rows of all units of a slice, with their padding; `x` is where the slice begins. Returns
/// where they end.
inline float* copy_padded_rows(const Window& w, const DirectPlan& p, const float* x,
                               Index first_row, Index first_column, float* to) {
  const Index in_row = w.in[2] * p.channels.unit, unit_step = w.in[0] * w.in[1] * in_row;
  for (Index unit = 0; unit < p.channels.units; ++unit, x += unit_step) {
    for (Index y = first_row; y < first_row + p.reads.rows;
         ++y, to += p.reads.columns * p.channels.unit) {
      if (y < 0 || y >= w.in[1])
        fill_zero(to, p.reads.columns * p.channels.unit);
      else
        copy_padded_row(w, p, x + y * in_row, first_column, to);
    }
  }
  return to;
}

/// The input of the outputs from there on, in place or copied to `scratch`; all of it where taps
/// are skipped.
inline DirectInput direct_input(const Window& w, const DirectPlan& p, const float* x,
                                const DirectPlace& at, float* scratch) {
  const Index in_row = w.in[2] * p.channels.unit, in_slice = w.in[1] * in_row;
  const Index first_row = at.row * w.stride[1] - w.pad[1];
  const Index first_column = at.column * w.stride[2] - w.pad[2];
  DirectInput in{x + (at.slice * w.stride[0] - w.pad[0]) * in_slice, slices_inside(w, at.slice),
                 w.dilation[0] * in_slice, w.in[0] * in_slice, in_row};
  if (p.reads.skips_taps) return in;
  if (!p.reads.copies_padding) {
    in.data += first_row * in_row + first_column * p.channels.unit;
    return in;
  }
  float* to = scratch;
  for (Index slice = in.slices.begin; slice < in.slices.end; ++slice)
    to = copy_padded_rows(w, p, in.data + slice * in.slice_step, first_row, first_column, to);
  in.row_step = p.reads.columns * p.channels.unit;
  in.unit_step = p.reads.rows * in.row_step;
  in.slice_step = p.channels.units * in.unit_step;
  in.data = scratch - in.slices.begin * in.slice_step;
  return in;
}

/// Where the runs begin in an input, and the first of them again.
inline void find_runs(const BlockedShape& shape, const DirectPlan& p, const DirectInput& in,
                      Index* runs) {
  const Window& w = shape.conv.window;
  const Index columns = shape.input == Layout::planes ? 1 : w.kernel[2],
              taps = w.kernel[1] * columns;
  for (Index i = 0; i < run_count(shape, p); ++i) {
    const Index tap = p.taps_first ? i / p.channels.runs : i % taps;
    const Index channel = (p.taps_first ? i % p.channels.runs : i / taps) * p.channels.run;
    runs[i] = channel / p.channels.unit * in.unit_step + channel % p.channels.unit +
              tap / columns * w.dilation[1] * in.row_step +
              tap % columns * w.dilation[2] * p.channels.unit;
  }
  runs[run_count(shape, p)] = runs[0];
}

}  // namespace
}  // namespace strata::kernels
