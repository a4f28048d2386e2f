#pragma once

#include "kernels/impl/gemm.h"

/// Attention by blocks of as many queries as a tile has rows. The scores of a block with all keys
/// stay in the nearest caches: the register tile of the matrix product makes them, they become
/// weights e^(score - highest) in place, and the same tile multiplies these with the values. What
/// comes out is divided by the sum of the weights, since its rows are shorter than theirs; values
/// beyond the greatest float by the number of keys may overflow before that.
namespace strata::kernels {
namespace {

constexpr Index kFewQueries = 3;  ///< so many are multiplied with the keys where those lie

/// Floats from one row to the next, so that rows do not share their places in the caches.
inline Index row_step(Index columns) {
  const Index step = round_up(columns, kTileColumns);
  return step % kPageFloats == 0 ? step + kLineFloats : step;
}

/// Scratch memory, in floats from its beginning.
struct AttentionPlaces {
  Index scores;  ///< of a block
  Index keys;    ///< packed as the right operand of a product
  Index values;  ///< the same, unless they can be read where they lie
  Index end;
};

/// At the beginning there are the queries of a block, times the scale.
inline AttentionPlaces places_of(const Attention& a) {
  AttentionPlaces at;
  at.scores = kMaxTileRows * row_step(a.depth);
  at.keys = at.scores + kMaxTileRows * row_step(a.keys);
  at.values = at.keys + round_up(a.keys, kTileColumns) * a.depth;
  at.end = at.values + round_up(a.width, kTileColumns) * a.keys;
  return at;
}

std::size_t attention_scratch(const Attention& a) noexcept {
  return static_cast<std::size_t>(places_of(a).end) * sizeof(float);
}

/// e^x for x <= 0, as exact as `exp`, but 0 where that is below 1.7e-38.
inline Vf exp_below(Vf x) {
  const auto [n, r] = split_exponent(x);
  const Vf p =
      polynomial(r, {0.50000001f, 0.166665187f, 0.0416662055f, 0.00836890299f, 0.00139505124f});
  const Vf y = (fma(r * r, p, r) + 1.0f) * power_of_two(to_int(n));
  return x < -87.0f ? Vf{} : y;
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

inline void scale_query(const Attention& a, Index query, float* out) {
  const float* q = a.q.data + query * a.q.row_stride;
  const float scale = a.scale;
  if (a.q.column_stride == 1) return map(q, out, a.depth, [=](Vf v) { return v * scale; });
  for (Index i = 0; i < a.depth; ++i) out[i] = q[i * a.q.column_stride] * scale;
}

inline void divide_row(const Attention& a, Index query, float factor) {
  float* y = a.y + query * a.y_stride;
  map(y, y, a.width, [=](Vf v) { return v * factor; });
}

/// A single block reads the values once.
inline bool reads_values_in_place(const Attention& a) {
  return a.queries <= kMaxTileRows && a.v.column_stride == 1 && a.width % kLanes == 0;
}

/// The queries of a block, with keys and values in `memory`.
inline void attend(const Attention& a, Range rows, float* memory) {
  const AttentionPlaces at = places_of(a);
  const Index count = rows.end - rows.begin;
  const Index query_step = row_step(a.depth), score_step = row_step(a.keys);
  float* scores = memory + at.scores;
  for (Index r = 0; r < count; ++r) scale_query(a, rows.begin + r, memory + r * query_step);
  const Range keys{0, round_up(a.keys, kLanes)}, values{0, a.width};
  const Product products{count,   a.depth, {0, count}, keys, {memory, query_step, 1},
                         nullptr, scores,  score_step, {}};
  run_product(products, PackedSource{memory + at.keys, a.depth, keys}, nullptr);
  float factors[kMaxTileRows];
  for (Index r = 0; r < count; ++r) {
    factors[r] = weigh(a, rows.begin + r, scores + r * score_step);
  }
  float* y = a.y + rows.begin * a.y_stride;
  const Product sums{count,   a.keys, {0, count}, values, {scores, score_step, 1},
                     nullptr, y,      a.y_stride, {}};
  if (reads_values_in_place(a)) {
    run_product(sums, ViewSource{a.v, nullptr, true}, nullptr);
  } else {
    run_product(sums, PackedSource{memory + at.values, a.keys, values}, nullptr);
  }
  for (Index r = 0; r < count; ++r) divide_row(a, rows.begin + r, factors[r]);
}

bool attends_one_by_one(const Attention& a) noexcept {
  return a.queries <= kFewQueries && (a.k.column_stride == 1 || a.k.row_stride == 1) &&
         a.v.column_stride == 1;
}

/// One query, with keys and values where they lie.
inline void attend_one(const Attention& a, Index query, float* memory) {
  float* scores = memory + places_of(a).scores;
  scale_query(a, query, memory);
  Gemm products;
  products.m = 1;
  products.n = a.keys;
  products.k = a.depth;
  products.a = {memory, a.depth, 1};
  products.b = {a.k.data, a.k.column_stride, a.k.row_stride};
  products.c = scores;
  row_times_matrix(products, {0, a.keys});
  const float factor = weigh(a, query, scores);
  Gemm sums;
  sums.m = 1;
  sums.n = a.width;
  sums.k = a.keys;
  sums.a = {scores, a.keys, 1};
  sums.b = a.v;
  sums.c = a.y + query * a.y_stride;
  row_times_matrix(sums, {0, a.width});
  divide_row(a, query, factor);
}

void attention(const Attention& a, Range queries, void* scratch) noexcept {
  float* memory = static_cast<float*>(scratch);
  if (a.keys == 0) {
    for (Index i = queries.begin; i < queries.end; ++i) {
      for (Index j = 0; j < a.width; ++j) a.y[i * a.y_stride + j] = 0;
    }
    return;
  }
  if (attends_one_by_one(a)) {
    for (Index i = queries.begin; i < queries.end; ++i) attend_one(a, i, memory);
    return;
  }
  const AttentionPlaces at = places_of(a);
  pack_b({a.k.data, a.k.column_stride, a.k.row_stride}, a.depth, a.keys, memory + at.keys);
  if (!reads_values_in_place(a)) pack_b(a.v, a.keys, a.width, memory + at.values);
  const Index step = panel_rows(a.queries);
  for (Index i = queries.begin; i < queries.end; i += step) {
    attend(a, {i, min_of(i + step, queries.end)}, memory);
  }
}

}  // namespace
}  // namespace strata::kernels
