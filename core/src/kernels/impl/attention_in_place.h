#pragma once

#include "kernels/impl/attention_weights.h"
#include "kernels/impl/simd_folds.h"

/// Attention of few queries: keys and values are read once for each, where they lie.
namespace strata::kernels {
namespace {

constexpr Index kFewQueries = 3;  ///< so many are multiplied with the keys where those lie
constexpr int kSideVectors = 4;   ///< of a head's values that are added up at once
constexpr int kSideParts = kLanes == 16 ? 4 : 2;  ///< of as many heads
constexpr Index kManyHeads = 3;                ///< of fewer, a large part of each row is one head's
constexpr Index kNearFloats = Index{1} << 13;  ///< that the nearest cache keeps besides others

bool attends_one_by_one(const Attention& a) noexcept {
  return a.queries <= kFewQueries && (a.k.column_stride == 1 || a.k.row_stride == 1) &&
         a.v.column_stride == 1;
}

/// Scratch memory in floats: the query of each head, times the scale; the lanes of sums; the scores
/// of each head; and what their weights are multiplied with at last.
struct HeadPlaces {
  Index query_step, score_step, lanes, scores, factors, end;

  explicit HeadPlaces(const Attention& a)
      : query_step(row_step(a.depth)),
        score_step(row_step(a.keys)),
        lanes(round_up(a.heads * query_step, kLanes)),
        scores(lanes + a.heads * kLanes * kLanes),
        factors(scores + a.heads * score_step),
        end(factors + a.heads) {}
};

/// One of the heads.
[[gnu::noinline]] inline Attention head_of(const Attention& a, Index head) {
  Attention one = a;
  one.heads = 1;
  one.q.data += head * a.steps.q;
  one.k.data += head * a.steps.k;
  one.v.data += head * a.steps.v;
  if (a.mask.data) one.mask.data += head * a.steps.mask;
  one.y += head * a.steps.y;
  return one;
}

/// One query of one head.
inline void attend_one(const Attention& a, Index query, float* memory) {
  float* scores = memory + HeadPlaces(a).scores;
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

/// Whether keys and values of many heads take turns in memory, and are too many for the nearest
/// cache: reading them head by head would jump over those of the others. The baseline, which few
/// machines of today run, has no code for it.
inline bool attends_side_by_side(const Attention& a) {
  return kLanes > 4 && a.heads >= kManyHeads && a.k.column_stride == 1 &&
         a.depth % (kSideVectors * kLanes) == 0 && a.width % (kSideVectors * kLanes) == 0 &&
         a.steps.k < a.k.row_stride && a.steps.v < a.v.row_stride &&
         a.keys * a.k.row_stride > kNearFloats;
}

/// Some columns of one head's keys, of its query, and where the lanes of their dot products go.
struct DotsSideBySide {
  const float* keys;
  const float* query;
  Vf* lanes;
};

enum class Lanes { begin, go_on };  ///< go on: add to the lanes that are there

/// The dot products of G such, whose queries stay in registers, with up to kLanes keys. They are
/// added up as by `dot_lanes`.
template <int G>
[[gnu::noinline]] inline void dot_side_by_side(const DotsSideBySide* parts, Index step, int count,
                                               Lanes how) {
  Vf query[G][kSideVectors], *lanes[G];
  const float* keys[G];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    keys[g] = parts[g].keys;
    lanes[g] = parts[g].lanes;
#pragma GCC unroll 4
    for (int v = 0; v < kSideVectors; ++v) query[g][v] = load(parts[g].query + v * kLanes);
  }
  for (int i = 0; i < count; ++i) {
    const int at = place_of_sum(i);
    Vf sum[G] = {};
    if (how == Lanes::go_on) {
#pragma GCC unroll 4
      for (int g = 0; g < G; ++g) sum[g] = lanes[g][at];
    }
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
      for (int v = 0; v < kSideVectors; ++v) {
        sum[g] = fma(load(keys[g] + i * step + v * kLanes), query[g][v], sum[g]);
      }
      lanes[g][at] = sum[g];
    }
  }
}

/// Scores of each head, not yet weights, in `scores`. `memory` has room for the lanes of their
/// sums.
inline void scores_side_by_side(const Attention& a, const float* queries, float* memory,
                                float* scores) {
  constexpr Index columns = kSideVectors * kLanes;
  const HeadPlaces at(a);
  Vf* const lanes = reinterpret_cast<Vf*>(memory);
  const Index step = a.k.row_stride;
  for (Index begin = 0; begin < a.keys; begin += kLanes) {
    const int count = static_cast<int>(min_of(kLanes, a.keys - begin));
    for (Index j = 0; j < a.depth; j += columns) {
      const float *keys = a.k.data + begin * step + j, *query = queries + j;
      const Lanes how = j == 0 ? Lanes::begin : Lanes::go_on;
      DotsSideBySide parts[kSideParts];
      Index found = 0;
      for (Index h = 0; h < a.heads; ++h, keys += a.steps.k, query += at.query_step) {
        parts[found++] = {keys, query, lanes + h * kLanes};
        if (found < kSideParts) continue;
        dot_side_by_side<kSideParts>(parts, step, count, how);
        found = 0;
      }
      for (Index i = 0; i < found; ++i) dot_side_by_side<1>(parts + i, step, count, how);
    }
    for (Index h = 0; h < a.heads; ++h) {
      const Vf sums = sums_of_lanes(*reinterpret_cast<const Vf(*)[kLanes]>(lanes + h * kLanes));
      store(scores + h * at.score_step + begin, sums);
    }
  }
}

/// Some columns of one head's values, what those are multiplied with, and where the sums go.
struct SideBySide {
  const float* values;
  const float* weights;
  float* sums;
};

/// The sums of G such, which stay in registers.
template <int G>
[[gnu::noinline]] inline void sum_side_by_side(const SideBySide* parts, Index step, Index keys) {
  Vf sum[G][kSideVectors] = {};
  for (Index key = 0; key < keys; ++key) {
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      const Vf weight = broadcast(parts[g].weights[key]);
#pragma GCC unroll 4
      for (int v = 0; v < kSideVectors; ++v) {
        sum[g][v] = fma(weight, load(parts[g].values + key * step + v * kLanes), sum[g][v]);
      }
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
    for (int v = 0; v < kSideVectors; ++v) store(parts[g].sums + v * kLanes, sum[g][v]);
  }
}

/// Rows of y = the weighted sums of the values, with weights as HeadPlaces has the scores.
inline void sums_side_by_side(const Attention& a, const float* weights, float* y) {
  constexpr Index columns = kSideVectors * kLanes;
  const Index step = row_step(a.keys), of_each = a.width / columns, count = a.heads * of_each;
  SideBySide parts[kSideParts];
  Index found = 0;
  for (Index i = 0; i < count; ++i) {
    const Index head = i / of_each, j = i % of_each * columns;
    parts[found++] = {a.v.data + head * a.steps.v + j, weights + head * step,
                      y + head * a.steps.y + j};
    if (found < kSideParts) continue;
    sum_side_by_side<kSideParts>(parts, a.v.row_stride, a.keys);
    found = 0;
  }
  for (Index i = 0; i < found; ++i) sum_side_by_side<1>(parts + i, a.v.row_stride, a.keys);
}

/// One query of each head. Keys and values are read from beginning to end, and added up as by
/// `attend_one`.
inline void attend_side_by_side(const Attention& a, Index query, float* memory) {
  const HeadPlaces at(a);
  Attention head = a;
  for (Index h = 0; h < a.heads; ++h, head.q.data += a.steps.q) {
    scale_query(head, query, memory + h * at.query_step);
  }
  float* scores = memory + at.scores;
  scores_side_by_side(a, memory, memory + at.lanes, scores);
  for (Index h = 0; h < a.heads; ++h) {
    memory[at.factors + h] = weigh(head, query, scores + h * at.score_step);
    if (a.mask.data) head.mask.data += a.steps.mask;
  }
  sums_side_by_side(a, scores, a.y + query * a.y_stride);
  for (Index h = 0; h < a.heads; ++h, head.y += a.steps.y) {
    divide_row(head, query, memory[at.factors + h]);
  }
}

/// Queries of all heads.
inline void attend_in_place(const Attention& a, Range queries, float* memory) {
  const bool side_by_side = attends_side_by_side(a);
  for (Index i = queries.begin; i < queries.end; ++i) {
    if (side_by_side) {
      attend_side_by_side(a, i, memory);
    } else {
      for (Index h = 0; h < a.heads; ++h) attend_one(head_of(a, h), i, memory);
    }
  }
}

}  // namespace
}  // namespace strata::kernels
