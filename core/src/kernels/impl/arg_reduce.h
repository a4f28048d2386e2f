#pragma once

#include "kernels/impl/rows.h"
#include "kernels/impl/turned_rows.h"
#include "kernels/impl/wide.h"

/// Where the extremes of rows and of columns are. The least number is the greatest of the negated.
namespace strata::kernels {
namespace {

constexpr Index kSearched = 2048;  ///< elements searched again where one of them is the best so far

/// The place of the first element for which `is_wanted` holds; there is one. The lanes go from the
/// end to the start, so that each keeps its first.
template <class F>
inline Index first_where(const float* x, Index n, F is_wanted) {
  Vi places = broadcast(INT32_MAX);
  Index i = n / kLanes * kLanes;
  Vi at = lane_numbers() + static_cast<std::int32_t>(i);
  if (i < n) {
    const Vi found = is_wanted(load_first(x + i, n - i)) & (at < static_cast<std::int32_t>(n));
    places = found ? at : places;
  }
  while (i > 0) {
    i -= kLanes;
    at -= kLanes;
    places = is_wanted(load(x + i)) ? at : places;
  }
  return fold_lanes(places, [](Vi a, Vi b) { return a < b ? a : b; })[0];
}

/// The place of the first element that equals `best`, or is NaN as it is; they are seen as
/// x[i] * sign.
inline Index first_of(const float* x, Index n, float best, float sign) {
  if (best != best) return first_where(x, n, [](Vf v) { return v != v; });
  const Vf wanted = broadcast(best * sign);
  return first_where(x, n, [=](Vf v) { return v == wanted; });
}

/// The place of the last such element.
inline Index last_of(const float* x, Index n, float best, float sign) {
  Index place = n - 1;
  for (; place > 0; --place) {
    const float v = x[place] * sign;
    if (v == best || (best != best && v != v)) break;
  }
  return place;
}

inline std::int64_t place_in_row(const ArgReduce& c, const float* x, float sign) {
  std::int64_t place = 0;
  float best = -__builtin_inff();
  for (Index i = 0; i < c.length; i += kSearched) {
    const Index n = min_of(kSearched, c.length - i);
    const float own = c.extreme == Extreme::max ? max_row(x + i, n) : -min_row(x + i, n);
    const bool is_nan = own != own, was_nan = best != best;
    const bool is_better = !was_nan && (is_nan || own > best);
    const bool is_equal = own == best || (is_nan && was_nan);
    if (i > 0 && !is_better && !(is_equal && c.tie == Tie::last)) continue;
    best = own;
    place =
        i + (c.tie == Tie::first ? first_of(x + i, n, own, sign) : last_of(x + i, n, own, sign));
  }
  return place;
}

/// V vectors of columns; of the last one, the first `left` columns. Of a best and a later number,
/// NaN is the greater.
template <int V>
inline void places_in_columns(const ArgReduce& c, const float* x, Index left, float sign,
                              std::int64_t* y) {
  const auto load_vector = [=](Index k, int v) {
    return (V == 1 ? load_upto(x + k * c.inner, left) : load(x + k * c.inner + v * kLanes)) * sign;
  };
  Vf best[V];
  Vi places[V] = {};
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) best[v] = load_vector(0, v);
  for (Index k = 1; k < c.length; ++k) {
    const Vi place = broadcast(static_cast<std::int32_t>(k));
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const Vf x_k = load_vector(k, v), old = best[v];
      if (c.tie == Tie::first) {
        const Vi is_number = old == old, stays = x_k <= old;
        places[v] = stays ? places[v] : is_number ? place : places[v];
        best[v] = stays ? old : is_number ? x_k : old;
      } else {
        const Vi is_nan = x_k != x_k, wins = x_k >= old;
        places[v] = wins ? place : is_nan ? place : places[v];
        best[v] = wins ? x_k : is_nan ? x_k : old;
      }
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    if (left >= kLanes) {
      store_words(y + v * kLanes, places[v], Vi{});
    } else {
      for (Index lane = 0; lane < left; ++lane) y[lane] = places[v][lane];
    }
  }
}

/// `count` columns, of which the first is at x.
inline void places_of_columns(const ArgReduce& c, const float* x, Index count, float sign,
                              std::int64_t* y) {
  constexpr int together = 4;
  Index i = 0;
  for (; i + together * kLanes <= count; i += together * kLanes)
    places_in_columns<together>(c, x + i, kLanes, sign, y + i);
  for (; i < count; i += kLanes) places_in_columns<1>(c, x + i, count - i, sign, y + i);
}

inline void places_of_rows(const ArgReduce& c, Range rows, float sign) {
  const float* x = c.x + rows.begin * c.length;
  std::int64_t* y = c.y + rows.begin;
  const Index count = rows.end - rows.begin;
  if (turns_rows(RowWork::search, count, c.length))
    return for_each_turned(x, count, c.length, [=](const TurnedRows& t) {
      ArgReduce turned = c;
      turned.inner = t.stride;
      places_of_columns(turned, t.data, t.count, sign, y + t.first);
    });
  for (Index r = 0; r < count; ++r) y[r] = place_in_row(c, x + r * c.length, sign);
}

void arg_reduce(const ArgReduce& c, Range rows) noexcept {
  const float sign = c.extreme == Extreme::max ? 1.0f : -1.0f;
  if (c.inner == 1) return places_of_rows(c, rows, sign);
  for (Index row = rows.begin; row < rows.end;) {
    const Index count = min_of(rows.end - row, c.inner - row % c.inner);
    const float* x = c.x + row / c.inner * c.length * c.inner + row % c.inner;
    places_of_columns(c, x, count, sign, c.y + row);
    row += count;
  }
}

}  // namespace
}  // namespace strata::kernels
