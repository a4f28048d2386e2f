#pragma once

#include "kernels/impl/reduce.h"

/// Softmax and its logarithm, of rows and of columns: by way of the greatest number, which no
/// exponential then exceeds.
namespace strata::kernels {
namespace {

constexpr Index kNearColumns = 512;  ///< of kLanes rows that stay in the nearest cache

/// The rows that are taken through each step together, which have their last sums in common.
inline Index rows_together(Index columns) { return columns <= kNearColumns ? kLanes : kRowGroup; }

/// Sums by lanes of f(i, left) for each vector of a row; blocks of it are added in double.
template <class F>
inline Vf sum_vectors(Index n, F f) {
  Wide total{};
  for (Index begin = 0; begin < n; begin += kSumBlock) {
    const Index end = min_of(n, begin + kSumBlock);
    Vf sum[2] = {};
    Index i = begin;
    for (; i + 2 * kLanes <= end; i += 2 * kLanes) {
      sum[0] += f(i, Index{kLanes});
      sum[1] += f(i + kLanes, Index{kLanes});
    }
    for (; i < end; i += kLanes) {
      const Vi used = lane_numbers() < static_cast<std::int32_t>(min_of(kLanes, end - i));
      const Vf v = f(i, end - i);
      sum[0] += used ? v : Vf{};
    }
    total = total + widen(sum[0] + sum[1]);
  }
  return narrow(total);
}

constexpr auto kPlus = [](Vf a, Vf b) { return a + b; };

inline void softmax_group(const float* x, float* y, Index rows, Index columns) {
  alignas(64) float tops[kLanes], scales[kLanes];
  fold_rows(
      tops, rows, [=](Index r) { return extremes_to_lanes<Maximum>(x + r * columns, columns); },
      Maximum{});
  const auto exponentials = [&](Index r) {
    const float* from = x + r * columns;
    const float* next = from + rows * columns;  // memory would do nothing meanwhile
    float* to = y + r * columns;
    const Vf top = broadcast(tops[r]);
    return sum_vectors(columns, [=](Index i, Index left) {
      __builtin_prefetch(next + i);
      const Vf e = exp_below(load_upto(from + i, left) - top);
      store_upto(to + i, e, left);
      return e;
    });
  };
  fold_rows(scales, rows, exponentials, kPlus);
  store(scales, 1.0f / load(scales));
  for (Index r = 0; r < rows; ++r) {
    const float scale = scales[r];
    map(y + r * columns, y + r * columns, columns, [=](Vf v) { return v * scale; });
  }
}

inline void log_softmax_group(const float* x, float* y, Index rows, Index columns) {
  alignas(64) float tops[kLanes], logs[kLanes];
  fold_rows(
      tops, rows, [=](Index r) { return extremes_to_lanes<Maximum>(x + r * columns, columns); },
      Maximum{});
  const auto exponentials = [&](Index r) {
    const float* from = x + r * columns;
    const Vf top = broadcast(tops[r]);
    return sum_vectors(
        columns, [=](Index i, Index left) { return exp_below(load_upto(from + i, left) - top); });
  };
  fold_rows(logs, rows, exponentials, kPlus);
  store(logs, log(load(logs)));
  for (Index r = 0; r < rows; ++r) {
    const float top = tops[r], log_sum = logs[r];
    map(x + r * columns, y + r * columns, columns, [=](Vf v) { return v - top - log_sum; });
  }
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
  Wide totals[kColumnTile / kLanes];
  for (Index i = 0; i < t.columns; i += kLanes) totals[i / kLanes] = Wide{};
  const bool is_plain = form == SoftmaxForm::plain;
  for_each_vector(t, y, [&](const float* from, float* to, Index i, Index left) {
    const Vf e = exp_below(load_upto(from, left) - load(tops + i));
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

void softmax(SoftmaxForm form, const float* x, float* y, Index rows, Index columns) noexcept {
  if (turns_rows(RowWork::softmax, rows, columns))
    return for_each_turned(x, rows, columns, [=](const TurnedRows& t) {
      softmax_tile(form, {t.data, columns, t.stride, t.count}, t.data);
      turn_back(t, columns, y);
    });
  const Index together = rows_together(columns);
  for (Index r = 0; r < rows; r += together) {
    const Index at = r * columns, count = min_of(together, rows - r);
    form == SoftmaxForm::plain ? softmax_group(x + at, y + at, count, columns)
                               : log_softmax_group(x + at, y + at, count, columns);
  }
}

void softmax_columns(SoftmaxForm form, const MatrixView& x, float* y, Index rows,
                     Index columns) noexcept {
  for (Index c = 0; c < columns; c += kColumnTile) {
    softmax_tile(form, {x.data + c, rows, x.row_stride, min_of(kColumnTile, columns - c)}, y + c);
  }
}

}  // namespace
}  // namespace strata::kernels
