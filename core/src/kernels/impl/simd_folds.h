#pragma once

#include <utility>

#include "kernels/impl/simd.h"

/// Folds of the lanes of a vector, and of many vectors at once.
namespace strata::kernels {
namespace {

/// Where lane `lane` comes from in the first halves of all parts of 2 W lanes of two vectors; from
/// kLanes on, in the second one. From W = 2 down the two take turns within each four lanes.
template <int W>
constexpr int first_half(int lane) {
  if (W <= 2) return lane % 4 / 2 * kLanes + lane / 4 * 4 + lane % 2 * (2 / W);
  const int part = lane / W, parts = kLanes / (2 * W);
  return part / parts * kLanes + part % parts * 2 * W + lane % W;
}

/// Folds the halves of each part of 2 W lanes.
template <int W, class F, int... Lanes>
inline Vf fold_halves(Vf a, Vf b, F f, std::integer_sequence<int, Lanes...>) {
  return f(__builtin_shufflevector(a, b, first_half<W>(Lanes)...),
           __builtin_shufflevector(a, b, (first_half<W>(Lanes) + W)...));
}

/// Folds `Count` vectors, each by itself, into parts of kLanes / Count lanes.
template <int Count, class F>
inline Vf fold_parts(const Vf* v, F f) {
  if constexpr (Count == 1) {
    return *v;
  } else {
    return fold_halves<kLanes / Count>(fold_parts<Count / 2>(v, f),
                                       fold_parts<Count / 2>(v + Count / 2, f), f,
                                       std::make_integer_sequence<int, kLanes>{});
  }
}

/// Which of kLanes folds of lanes lands where: lane i of `folds_of_lanes(v, f)` is that of the
/// lanes of v[place_of_sum(i)].
constexpr int place_of_sum(int i) { return i % 4 * (kLanes / 4) + i / 4; }
template <class F>
inline Vf folds_of_lanes(const Vf (&v)[kLanes], F f) {
  return fold_parts<kLanes>(v, f);
}
inline Vf sums_of_lanes(const Vf (&v)[kLanes]) {
  return folds_of_lanes(v, [](Vf a, Vf b) { return a + b; });
}

/// Each lane becomes the one `Width` further on; the last wrap round to the first.
template <int Width, class V, int... Lanes>
inline V rotated(V v, std::integer_sequence<int, Lanes...>) {
  return __builtin_shufflevector(v, v, ((Lanes + Width) % kLanes)...);
}

/// Folds the lanes as a tree: halves, then quarters, and so on; each lane gets the result.
template <int Width = kLanes / 2, class V, class F>
inline V fold_lanes(V v, F f) {
  if constexpr (Width == 0) {
    return v;
  } else {
    return fold_lanes<Width / 2>(f(v, rotated<Width>(v, std::make_integer_sequence<int, kLanes>{})),
                                 f);
  }
}

/// The sum of the lanes, added as a tree, as `sums_of_lanes` is.
inline float sum_lanes(Vf v) {
  return fold_lanes(v, [](Vf a, Vf b) { return a + b; })[0];
}

/// The largest lane; NaN if any is.
inline float max_lanes(Vf v) {
  return fold_lanes(v, [](Vf a, Vf b) { return maximum(a, b); })[0];
}

}  // namespace
}  // namespace strata::kernels
