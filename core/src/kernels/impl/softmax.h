#pragma once

#include "kernels/impl/reduce.h"

/// Softmax and its logarithm, of rows and of columns: by way of the greatest number, which no
/// exponential then exceeds.
namespace strata::kernels {
namespace {

/// y[i] = e^(x[i] - top), and the sum of them.
inline double exp_row(const float* x, float* y, Index n, float top) {
  double total = 0;
  for (Index begin = 0; begin < n; begin += kSumBlock) {
    const Index end = min_of(n, begin + kSumBlock);
    Vf sum[2] = {};
    Index i = begin;
    for (int turn = 0; i + kLanes <= end; i += kLanes, turn ^= 1) {
      const Vf e = exp(load(x + i) - top);
      store(y + i, e);
      sum[turn] += e;
    }
    if (i < end) {
      const Vi used = lane_numbers() < static_cast<std::int32_t>(end - i);
      const Vf e = exp(load_first(x + i, end - i) - top);
      store_first(y + i, e, end - i);
      sum[1] += used ? e : Vf{};
    }
    total += static_cast<double>(sum_lanes(sum[0] + sum[1]));
  }
  return total;
}

inline void softmax_group(const float* x, float* y, Index rows, Index columns) {
  float tops[kRowGroup], scales[kRowGroup];
  for (Index r = 0; r < rows; ++r) tops[r] = max_row(x + r * columns, columns);
  for (Index r = 0; r < rows; ++r) {
    const double sum = exp_row(x + r * columns, y + r * columns, columns, tops[r]);
    scales[r] = static_cast<float>(1.0 / sum);
  }
  for (Index r = 0; r < rows; ++r) {
    const float scale = scales[r];
    map(y + r * columns, y + r * columns, columns, [=](Vf v) { return v * scale; });
  }
}

inline void log_softmax_group(const float* x, float* y, Index rows, Index columns) {
  float tops[kRowGroup], logs[kRowGroup];
  for (Index r = 0; r < rows; ++r) tops[r] = max_row(x + r * columns, columns);
  for (Index r = 0; r < rows; ++r) {
    const float top = tops[r];
    const double sum = sum_row(x + r * columns, columns, [=](Vf v) { return exp(v - top); });
    logs[r] = static_cast<float>(__builtin_log(sum));
  }
  for (Index r = 0; r < rows; ++r) {
    const float top = tops[r], log_sum = logs[r];
    map(x + r * columns, y + r * columns, columns, [=](Vf v) { return v - top - log_sum; });
  }
}

void softmax(SoftmaxForm form, const float* x, float* y, Index rows, Index columns) noexcept {
  for_each_group(rows, [=](Index first, Index count) {
    const Index at = first * columns;
    form == SoftmaxForm::plain ? softmax_group(x + at, y + at, count, columns)
                               : log_softmax_group(x + at, y + at, count, columns);
  });
}

/// Calls visit(x, y, i, left) for each vector of a tile: where it lies, its column, and how many
/// columns are left.
template <class Visit>
inline void for_each_vector(const ColumnTile& t, float* y, Visit visit) {
  for (Index r = 0; r < t.rows; ++r) {
    const Index row = r * t.stride;
    for (Index i = 0; i < t.columns; i += kLanes)
      visit(t.x + row + i, y + row + i, i, t.columns - i);
  }
}

inline void softmax_tile(SoftmaxForm form, const ColumnTile& t, float* y) {
  alignas(64) float tops[kColumnTile];
  top_columns(t, tops, Reduction::max);
  Wide totals[kColumnTile / kLanes] = {};
  const bool is_plain = form == SoftmaxForm::plain;
  for_each_vector(t, y, [&](const float* from, float* to, Index i, Index left) {
    const Vf e = exp(load_upto(from, left) - load(tops + i));
    if (is_plain) store_upto(to, e, left);
    totals[i / kLanes] = totals[i / kLanes] + widen(e);
  });
  if (is_plain) {
    for (Index i = 0; i < t.columns; i += kLanes)
      store(tops + i, 1.0f / narrow(totals[i / kLanes]));
    for_each_vector(t, y, [&](const float*, float* to, Index i, Index left) {
      store_upto(to, load_upto(to, left) * load(tops + i), left);
    });
    return;
  }
  alignas(64) float logs[kColumnTile];
  for (Index i = 0; i < t.columns; i += kLanes) store(logs + i, log(narrow(totals[i / kLanes])));
  for_each_vector(t, y, [&](const float* from, float* to, Index i, Index left) {
    store_upto(to, load_upto(from, left) - load(tops + i) - load(logs + i), left);
  });
}

void softmax_columns(SoftmaxForm form, const MatrixView& x, float* y, Index rows,
                     Index columns) noexcept {
  for (Index c = 0; c < columns; c += kColumnTile) {
    softmax_tile(form, {x.data + c, rows, x.row_stride, min_of(kColumnTile, columns - c)}, y + c);
  }
}

}  // namespace
}  // namespace strata::kernels
