#pragma once

#include "kernels/impl/rows.h"
#include "kernels/impl/turned_rows.h"
#include "kernels/impl/wide.h"

/// Reductions of dense matrices: of each row to one number, or of each column. Sums that many
/// numbers go into are kept in double.
namespace strata::kernels {
namespace {

/// The sum of the squares in double, where no square of a float overflows.
inline double squares_row(const float* x, Index n) {
  Wide sum{};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Wide v = widen(load(x + i));
    sum = sum + v * v;
  }
  if (i < n) {
    const Wide v = widen(load_first(x + i, n - i));
    sum = sum + v * v;
  }
  return sum_lanes(sum);
}

/// The total as a result of n numbers; of log_sum_exp, of those e^(x - top).
inline double finished(Reduction kind, double total, double n, float top) {
  switch (kind) {
    case Reduction::mean:
      return total / n;
    case Reduction::l2:
      return __builtin_sqrt(total);
    case Reduction::log_sum:
      return __builtin_log(total);
    case Reduction::log_sum_exp: {
      const bool is_finite = __builtin_fabsf(top) < __builtin_inff();
      return static_cast<double>(top) + (is_finite ? __builtin_log(total) : 0.0);
    }
    default:
      return total;
  }
}

/// The sum of squares in float where it fits, which takes half the time.
inline double sum_of_squares(const float* x, Index n) {
  const double total = sum_row(x, n, [](Vf v) { return v * v; });
  return total > 1e-20 && total < 1e30 ? total : squares_row(x, n);
}

inline float reduce_row(Reduction kind, const float* x, Index n) {
  if (kind == Reduction::max) return max_row(x, n);
  if (kind == Reduction::min) return min_row(x, n);
  float top = 0;
  double total = 0;
  switch (kind) {
    case Reduction::l1:
      total = sum_row(x, n, [](Vf v) { return abs(v); });
      break;
    case Reduction::l2:
    case Reduction::sum_square:
      total = sum_of_squares(x, n);
      break;
    case Reduction::log_sum_exp:
      top = max_row(x, n);
      total = sum_row(x, n, [=](Vf v) { return exp_below(v - top); });
      break;
    default:
      total = sum_row(x, n, [](Vf v) { return v; });
  }
  return static_cast<float>(finished(kind, total, static_cast<double>(n), top));
}

/// Extremes of kLanes rows at once while there are as many; returns how many rows that were.
template <class F>
inline Index extremes_of_rows(const float* x, float* y, Index rows, Index columns) {
  Index r = 0;
  for (; r + kLanes <= rows; r += kLanes) {
    const float* first = x + r * columns;
    fold_rows(
        y + r, kLanes, [=](Index k) { return extremes_to_lanes<F>(first + k * columns, columns); },
        F{});
  }
  return r;
}

/// Sums, or means, of kLanes rows at once while there are as many; returns how many rows that were.
inline Index sums_of_rows(Reduction kind, const float* x, float* y, Index rows, Index columns) {
  const Vf count = broadcast(kind == Reduction::mean ? static_cast<float>(columns) : 1.0f);
  Index r = 0;
  for (; r + kLanes <= rows; r += kLanes) {
    const float* first = x + r * columns;
    const auto sum = [=](Index k) {
      return sum_to_lanes(first + k * columns, columns, [](Vf v) { return v; });
    };
    fold_rows(y + r, kLanes, sum, [](Vf a, Vf b) { return a + b; });
    store(y + r, load(y + r) / count);
  }
  return r;
}

constexpr Index kColumnTile = 256;  ///< columns whose totals lie in the nearest cache

/// A tile of columns; `stride` is between rows.
struct ColumnTile {
  const float* x;
  Index rows;
  Index stride;
  Index columns;
};

/// best[i] = f(best[i], each x of column i).
template <class F>
inline void fold_columns(const ColumnTile& t, float* best, F f) {
  for (Index r = 0; r < t.rows; ++r) {
    const float* x = t.x + r * t.stride;
    for (Index i = 0; i < t.columns; i += kLanes) {
      store(best + i, f(load(best + i), load_upto(x + i, t.columns - i)));
    }
  }
}

/// totals[i / kLanes] += f(each x of vector i); f takes and gives halves of double lanes of it.
template <class F>
inline void add_columns(const ColumnTile& t, Wide* totals, F f) {
  constexpr Index together = 4;
  Index r = 0;
  for (; r + together <= t.rows; r += together) {
    const float* x = t.x + r * t.stride;
    for (Index i = 0; i < t.columns; i += kLanes) {
      Wide v[together];
#pragma GCC unroll 4
      for (Index k = 0; k < together; ++k)
        v[k] = f(load_upto(x + k * t.stride + i, t.columns - i), i);
      totals[i / kLanes] = totals[i / kLanes] + ((v[0] + v[1]) + (v[2] + v[3]));
    }
  }
  for (; r < t.rows; ++r) {
    const float* x = t.x + r * t.stride;
    for (Index i = 0; i < t.columns; i += kLanes)
      totals[i / kLanes] = totals[i / kLanes] + f(load_upto(x + i, t.columns - i), i);
  }
}

inline void total_columns(Reduction kind, const ColumnTile& t, Wide* totals, const float* tops) {
  switch (kind) {
    case Reduction::l1:
      return add_columns(t, totals, [](Vf v, Index) { return widen(abs(v)); });
    case Reduction::l2:
    case Reduction::sum_square:
      return add_columns(t, totals, [](Vf v, Index) {
        const Wide w = widen(v);
        return w * w;
      });
    case Reduction::log_sum_exp:
      return add_columns(t, totals,
                         [=](Vf v, Index i) { return widen(exp_below(v - load(tops + i))); });
    default:
      return add_columns(t, totals, [](Vf v, Index) { return widen(v); });
  }
}

inline void top_columns(const ColumnTile& t, float* best, Reduction kind) {
  const float start = kind == Reduction::min ? __builtin_inff() : -__builtin_inff();
  for (Index i = 0; i < kColumnTile; i += kLanes) store(best + i, broadcast(start));
  if (kind == Reduction::min)
    fold_columns(t, best, [](Vf a, Vf b) { return minimum(a, b); });
  else
    fold_columns(t, best, [](Vf a, Vf b) { return maximum(a, b); });
}

/// The totals of kLanes columns as results of n numbers each.
inline Wide finished(Reduction kind, Wide total, double n, const float* tops) {
  if (kind == Reduction::mean) return each(total, [=](Vd v) { return v / n; });
  if (kind != Reduction::l2 && kind != Reduction::log_sum && !tops) return total;
  for (Index lane = 0; lane < kLanes; ++lane) {
    Vd& half = lane < kWideLanes ? total.low : total.high;
    const Index own = lane % kWideLanes;
    half[own] = finished(kind, half[own], n, tops ? tops[lane] : 0);
  }
  return total;
}

inline void reduce_tile(Reduction kind, const ColumnTile& t, float* y) {
  alignas(64) float best[kColumnTile];
  const bool is_extreme = kind == Reduction::max || kind == Reduction::min;
  const bool has_tops = kind == Reduction::log_sum_exp;
  if (is_extreme || has_tops) top_columns(t, best, kind);
  if (is_extreme) {
    for (Index i = 0; i < t.columns; i += kLanes) store_upto(y + i, load(best + i), t.columns - i);
    return;
  }
  Wide totals[kColumnTile / kLanes];
  for (Index i = 0; i < t.columns; i += kLanes) totals[i / kLanes] = Wide{};
  total_columns(kind, t, totals, best);
  const double n = static_cast<double>(t.rows);
  for (Index i = 0; i < t.columns; i += kLanes) {
    const Wide all = finished(kind, totals[i / kLanes], n, has_tops ? best + i : nullptr);
    store_upto(y + i, narrow(all), t.columns - i);
  }
}

void reduce_columns(Reduction kind, const MatrixView& x, float* y, Index rows,
                    Index columns) noexcept {
  for (Index c = 0; c < columns; c += kColumnTile) {
    reduce_tile(kind, {x.data + c, rows, x.row_stride, min_of(kColumnTile, columns - c)}, y + c);
  }
}

/// y[i] = finish(the numbers of row i folded by f).
template <class F, class Finish>
inline void fold_turned(const TurnedRows& t, Index columns, float* y, F f, Finish finish) {
  for (Index i = 0; i < t.count; i += kLanes) {
    Vf all = load(t.data + i);
    for (Index k = 1; k < columns; ++k) all = f(all, load(t.data + k * t.stride + i));
    store_upto(y + i, finish(all), t.count - i);
  }
}

inline void reduce_turned(Reduction kind, const TurnedRows& t, Index columns, float* y) {
  const auto plus = [](Vf a, Vf b) { return a + b; };
  const auto as_is = [](Vf v) { return v; };
  const Vf n = broadcast(static_cast<float>(columns));
  switch (kind) {
    case Reduction::max:
      return fold_turned(t, columns, y, Maximum{}, as_is);
    case Reduction::min:
      return fold_turned(t, columns, y, Minimum{}, as_is);
    case Reduction::sum:
      return fold_turned(t, columns, y, plus, as_is);
    case Reduction::mean:
      return fold_turned(t, columns, y, plus, [=](Vf v) { return v / n; });
    default:
      reduce_tile(kind, {t.data, columns, t.stride, t.count}, y);
  }
}

void reduce(Reduction kind, const float* x, float* y, Index rows, Index columns) noexcept {
  if (turns_rows(RowWork::fold, rows, columns))
    return for_each_turned(x, rows, columns, [=](const TurnedRows& t) {
      reduce_turned(kind, t, columns, y + t.first);
    });
  const bool is_sum = kind == Reduction::sum || kind == Reduction::mean;
  Index r = 0;
  if (is_sum && columns <= kSumBlock) r = sums_of_rows(kind, x, y, rows, columns);
  if (kind == Reduction::max) r = extremes_of_rows<Maximum>(x, y, rows, columns);
  if (kind == Reduction::min) r = extremes_of_rows<Minimum>(x, y, rows, columns);
  for (; r < rows; ++r) y[r] = reduce_row(kind, x + r * columns, columns);
}

}  // namespace
}  // namespace strata::kernels
