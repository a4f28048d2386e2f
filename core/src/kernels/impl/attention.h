#pragma once

#include "kernels/impl/attention_in_place.h"

/// Attention by blocks of as many queries as a tile has rows. The scores of a block with all keys
/// stay in the nearest caches: the register tile of the matrix product makes them, they become
/// weights e^(score - highest) in place, and the same tile multiplies these with the values. What
/// comes out is divided by the sum of the weights, since its rows are shorter than theirs; values
/// beyond the greatest float by the number of keys may overflow before that.
namespace strata::kernels {
namespace {

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

[[gnu::cold]] std::size_t attention_scratch(const Attention& a) noexcept {
  const Index floats = attends_one_by_one(a) ? HeadPlaces(a).end : places_of(a).end;
  return static_cast<std::size_t>(floats) * sizeof(float);
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
  const Product products{.m = count,
                         .k = a.depth,
                         .rows = {0, count},
                         .columns = keys,
                         .a = {memory, query_step, 1},
                         .c = scores,
                         .c_stride = score_step};
  run_product(products, PackedSource{memory + at.keys, a.depth, keys}, nullptr);
  float factors[kMaxTileRows];
  for (Index r = 0; r < count; ++r) {
    factors[r] = weigh(a, rows.begin + r, scores + r * score_step);
  }
  float* y = a.y + rows.begin * a.y_stride;
  const Product sums{.m = count,
                     .k = a.keys,
                     .rows = {0, count},
                     .columns = values,
                     .a = {scores, score_step, 1},
                     .c = y,
                     .c_stride = a.y_stride};
  if (reads_values_in_place(a)) {
    const ViewSource in_place{.b = a.v, .scratch = nullptr, .reads_in_place = true};
    run_product(sums, in_place, nullptr);
  } else {
    run_product(sums, PackedSource{memory + at.values, a.keys, values}, nullptr);
  }
  for (Index r = 0; r < count; ++r) divide_row(a, rows.begin + r, factors[r]);
}

/// Queries of one head, in blocks.
inline void attend_in_blocks(const Attention& a, Range queries, float* memory) {
  const AttentionPlaces at = places_of(a);
  pack_b({a.k.data, a.k.column_stride, a.k.row_stride}, a.depth, a.keys, memory + at.keys);
  if (!reads_values_in_place(a)) pack_b(a.v, a.keys, a.width, memory + at.values);
  const Index step = panel_rows(a.queries);
  for (Index i = queries.begin; i < queries.end; i += step) {
    attend(a, {i, min_of(i + step, queries.end)}, memory);
  }
}

/// Results of 0.
inline void clear_rows(const Attention& a, Range queries) {
  for (Index i = queries.begin; i < queries.end; ++i) {
    for (Index j = 0; j < a.width; ++j) a.y[i * a.y_stride + j] = 0;
  }
}

void attention(const Attention& a, Range queries, void* scratch) noexcept {
  float* memory = static_cast<float*>(scratch);
  if (a.keys > 0 && attends_one_by_one(a)) return attend_in_place(a, queries, memory);
  for (Index h = 0; h < a.heads; ++h) {
    if (a.keys > 0) {
      attend_in_blocks(head_of(a, h), queries, memory);
    } else {
      clear_rows(head_of(a, h), queries);
    }
  }
}

}  // namespace
}  // namespace strata::kernels
