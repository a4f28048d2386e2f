#pragma once

#include "kernels/impl/gemm.h"
#include "kernels/impl/simd_folds.h"

/// What the attention of a query is made of, however its products are: scaled queries, scores that
/// become weights, and results that are divided by the sum of these.
namespace strata::kernels {
namespace {

/// Floats from one row to the next, so that rows do not share their places in the caches.
inline Index row_step(Index columns) {
  const Index step = round_up(columns, kTileColumns);
  return step % kPageFloats == 0 ? step + kLineFloats : step;
}

/// s[i] = f(s[i], i) for whole vectors that hold n floats, with -inf after the last. Returns the
/// highest that is not NaN. f is told how many lanes count.
template <class F>
inline float highest_score(float* s, Index n, F f) {
  const Vf lowest = broadcast(-__builtin_inff());
  Vf best = lowest;
  for (Index i = 0; i < n; i += kLanes) {
    const Index left = min_of(n - i, kLanes);
    Vf v = f(load(s + i), i, left);
    if (left < kLanes) v = lane_numbers() < static_cast<std::int32_t>(left) ? v : lowest;
    store(s + i, v);
    best = at_least(best, v);
  }
  return fold_lanes(best, [](Vf x, Vf y) { return at_least(x, y); })[0];
}

/// Adds the mask's row to the scores of a query; as `highest_score`.
inline float masked_scores(const Attention& a, Index query, float* s) {
  if (!a.mask.data) return highest_score(s, a.keys, [](Vf v, Index, Index) { return v; });
  const float* mask = a.mask.data + query * a.mask.row_stride;
  const Index step = a.mask.column_stride;
  if (step == 1) {
    return highest_score(s, a.keys,
                         [=](Vf v, Index i, Index left) { return v + load_upto(mask + i, left); });
  }
  return highest_score(s, a.keys, [=](Vf v, Index i, Index left) {
    for (Index lane = 0; lane < left; ++lane) v[lane] += mask[(i + lane) * step];
    return v;
  });
}

inline bool hides_all(const Attention& a, Index query) {
  if (!a.mask.data) return false;
  const float* mask = a.mask.data + query * a.mask.row_stride;
  for (Index key = 0; key < a.keys; ++key) {
    if (mask[key * a.mask.column_stride] != -__builtin_inff()) return false;
  }
  return true;
}

/// s[i] = e^(s[i] - highest); returns the sum.
inline double weights(float* s, Index n, float highest) {
  constexpr Index block = 4096;  // sums of longer rows are added in double
  double total = 0;
  for (Index begin = 0; begin < n; begin += block) {
    const Index end = min_of(begin + block, n);
    Vf sum{};
    for (Index i = begin; i < end; i += kLanes) {
      const Vf w = exp_below(load(s + i) - highest);
      store(s + i, w);
      sum += w;
    }
    total += static_cast<double>(sum_lanes(sum));
  }
  return total;
}

/// Turns the products of a query and the keys into weights. Returns what to multiply with to make
/// their sum 1.
inline float weigh(const Attention& a, Index query, float* s) {
  if (a.cap != 0) {
    const float cap = a.cap;
    map(s, s, a.keys, [=](Vf v) { return tanh(v / cap) * cap; });
  }
  const float highest = masked_scores(a, query, s);
  if (highest == -__builtin_inff() && a.hidden == HiddenQuery::zero && hides_all(a, query)) {
    for (Index key = 0; key < a.keys; ++key) s[key] = 0;
    return 0;
  }
  return static_cast<float>(1.0 / weights(s, a.keys, highest));
}

[[gnu::noinline]] inline void scale_query(const Attention& a, Index query, float* out) {
  const float* q = a.q.data + query * a.q.row_stride;
  const float scale = a.scale;
  if (a.q.column_stride == 1) {
    for (Index i = 0; i < a.depth; i += kLanes)
      store_upto(out + i, load_upto(q + i, a.depth - i) * scale, a.depth - i);
    return;
  }
  for (Index i = 0; i < a.depth; ++i) out[i] = q[i * a.q.column_stride] * scale;
}

[[gnu::noinline]] inline void divide_row(const Attention& a, Index query, float factor) {
  float* y = a.y + query * a.y_stride;
  map(y, y, a.width, [=](Vf v) { return v * factor; });
}

}  // namespace
}  // namespace strata::kernels
