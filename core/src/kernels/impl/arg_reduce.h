#pragma once

#include "kernels/impl/rows.h"

/// Where the extremes of rows and of columns are. The least number is the greatest of the negated.
namespace strata::kernels {
namespace {

constexpr Index kSearched = 2048;  ///< elements searched again where one of them is the best so far

/// The place of the first element for which `is_wanted` holds; there is one. The lanes go from the end
/// to the start, so that each keeps its first.
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

/// One vector of columns. Of a best and a later number, NaN is the greater.
inline Vi places_in_columns(const ArgReduce& c, const float* x, Index left, float sign) {
  Vf best = load_upto(x, left) * sign;
  Vi places{};
  for (Index k = 1; k < c.length; ++k) {
    const Vf v = load_upto(x + k * c.inner, left) * sign;
    const Vi better = c.tie == Tie::first ? ~(v <= best) & (best == best) : (v >= best) | (v != v);
    best = better ? v : best;
    places = better ? broadcast(static_cast<std::int32_t>(k)) : places;
  }
  return places;
}

void arg_reduce(const ArgReduce& c) noexcept {
  const float sign = c.extreme == Extreme::max ? 1.0f : -1.0f;
  for (Index o = 0; o < c.outer; ++o) {
    const float* x = c.x + o * c.length * c.inner;
    std::int64_t* y = c.y + o * c.inner;
    if (c.inner == 1) {
      *y = place_in_row(c, x, sign);
      continue;
    }
    for (Index i = 0; i < c.inner; i += kLanes) {
      const Vi places = places_in_columns(c, x + i, c.inner - i, sign);
      for (Index lane = 0; lane < min_of(kLanes, c.inner - i); ++lane) y[i + lane] = places[lane];
    }
  }
}

}  // namespace
}  // namespace strata::kernels
