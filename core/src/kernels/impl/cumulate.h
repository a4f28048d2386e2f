#pragma once

#include <utility>

#include "kernels/impl/index.h"
#include "kernels/impl/wide.h"
#include "kernels/types.h"

/// Running sums and products, kept in double, along rows and along columns.
namespace strata::kernels {
namespace {

struct RunningSum {
  static constexpr double start = 0;
  static Vd join(Vd a, Vd b) { return a + b; }
  static double join(double a, double b) { return a + b; }
};
struct RunningProduct {
  static constexpr double start = 1;
  static Vd join(Vd a, Vd b) { return a * b; }
  static double join(double a, double b) { return a * b; }
};

/// Each lane is that `by` before it; the first ones are those of `filling`.
template <int by, int... Lanes>
inline Vd moved_up(Vd v, Vd filling, std::integer_sequence<int, Lanes...>) {
  return __builtin_shufflevector(v, filling, (Lanes < by ? kWideLanes : Lanes - by)...);
}
template <int by>
inline Vd moved_up(Vd v, Vd filling) {
  return moved_up<by>(v, filling, std::make_integer_sequence<int, kWideLanes>{});
}

/// Lane i is the total of lanes 0 to i.
template <class F, int by = 1>
inline Vd running(Vd v) {
  if constexpr (by >= kWideLanes) {
    return v;
  } else {
    return running<F, 2 * by>(F::join(v, moved_up<by>(v, broadcast(F::start))));
  }
}

template <int... Lanes>
inline HalfVf reversed(HalfVf v, std::integer_sequence<int, Lanes...>) {
  return __builtin_shufflevector(v, v, (kWideLanes - 1 - Lanes)...);
}

typedef float UnalignedHalfVf __attribute__((vector_size(kVectorBytes / 2), aligned(4), may_alias));

/// The elements from p on, in the direction of the run; p is the lowest.
inline Vd load_run(const float* p, RunDirection direction) {
  HalfVf v = *reinterpret_cast<const UnalignedHalfVf*>(p);
  if (direction == RunDirection::backward)
    v = reversed(v, std::make_integer_sequence<int, kWideLanes>{});
  return __builtin_convertvector(v, Vd);
}
inline void store_run(float* p, Vd v, RunDirection direction) {
  HalfVf y = __builtin_convertvector(v, HalfVf);
  if (direction == RunDirection::backward)
    y = reversed(y, std::make_integer_sequence<int, kWideLanes>{});
  *reinterpret_cast<UnalignedHalfVf*>(p) = y;
}

template <class F>
inline void cumulate_row(const Cumulate& c, const float* x, float* y) {
  const bool forward = c.direction == RunDirection::forward;
  const bool inclusive = c.bounds == RunBounds::inclusive;
  double before = F::start;
  Index done = 0;
  for (; done + kWideLanes <= c.length; done += kWideLanes) {
    const Index at = forward ? done : c.length - done - kWideLanes;
    const Vd v = F::join(broadcast(before), running<F>(load_run(x + at, c.direction)));
    store_run(y + at, inclusive ? v : moved_up<1>(v, broadcast(before)), c.direction);
    before = v[kWideLanes - 1];
  }
  for (; done < c.length; ++done) {
    const Index at = forward ? done : c.length - done - 1;
    const double after = F::join(before, static_cast<double>(x[at]));
    y[at] = static_cast<float>(inclusive ? after : before);
    before = after;
  }
}

/// Of `vectors` vectors of columns side by side, whose totals stay in registers.
template <class F, int vectors>
inline void cumulate_columns(const Cumulate& c, const float* x, float* y, Index columns) {
  Wide totals[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) totals[v] = {broadcast(F::start), broadcast(F::start)};
  const bool forward = c.direction == RunDirection::forward;
  const bool inclusive = c.bounds == RunBounds::inclusive;
  const Index step = forward ? c.inner : -c.inner;
  Index at = forward ? 0 : (c.length - 1) * c.inner;
  for (Index done = 0; done < c.length; ++done, at += step) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Index i = at + v * kLanes, left = columns - v * kLanes;
      const Wide number = widen(load_upto(x + i, left));
      if (!inclusive) store_upto(y + i, narrow(totals[v]), left);
      totals[v] = {F::join(totals[v].low, number.low), F::join(totals[v].high, number.high)};
      if (inclusive) store_upto(y + i, narrow(totals[v]), left);
    }
  }
}

constexpr int kRunVectors = 4;  ///< of columns that go together, while there are as many

template <class F>
inline void cumulate_columns(const Cumulate& c, const float* x, float* y) {
  constexpr Index kTogether = kRunVectors * kLanes;
  Index i = 0;
  for (; i + kTogether <= c.inner; i += kTogether)
    cumulate_columns<F, kRunVectors>(c, x + i, y + i, kTogether);
  for (; i < c.inner; i += kLanes) cumulate_columns<F, 1>(c, x + i, y + i, c.inner - i);
}

template <class F>
inline void cumulate_all(const Cumulate& c) {
  for (Index o = 0; o < c.outer; ++o) {
    const Index at = o * c.length * c.inner;
    if (c.inner == 1) {
      cumulate_row<F>(c, c.x + at, c.y + at);
      continue;
    }
    cumulate_columns<F>(c, c.x + at, c.y + at);
  }
}

void cumulate(const Cumulate& c) noexcept {
  c.kind == RunKind::sum ? cumulate_all<RunningSum>(c) : cumulate_all<RunningProduct>(c);
}

}  // namespace
}  // namespace strata::kernels
