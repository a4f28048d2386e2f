#pragma once

#include "kernels/impl/convert.h"
#include "kernels/impl/gemv.h"
#include "kernels/impl/narrow_form.h"

/// Products with a packed matrix of integers of a few bits, see NarrowForm, which become floats
/// when a panel is needed: what is read from far is a fraction of the floats.
namespace strata::kernels {
namespace {

/// Part `j` of each word times `narrow_weight(Bits, j)`, for which it need not be moved; the last
/// one would be negative where it lies.
template <int Bits>
inline Vf weighted_part(Vi words, int j) {
  constexpr int mask = (1 << Bits) - 1;
  if (j == 32 / Bits - 1) return to_float((words >> (Bits * j)) & mask);
  return to_float(words & (mask << (Bits * j)));
}
inline float narrow_weight(Index bits, Index j) {
  return j == 32 / bits - 1 ? 1.0f : static_cast<float>(Index{1} << (bits * j));
}

static_assert(kWordColumns == kTileColumns);

inline Vf zero_points(const NarrowBlock& block, int v) {
  return to_float(to_lanes(load_narrow<Bytes>(block.zeros + v * kLanes, kLanes)));
}

/// Steps `depth` of a panel as floats.
[[gnu::noinline]] void widen_panel(const NarrowPanel& panel, const Depth& depth, float* out) {
  const NarrowForm& form = panel.form;
  const auto width = static_cast<std::int32_t>(form.bits);
  const Index parts = 32 / form.bits, end = depth.begin + depth.size;
  for (Index i = depth.begin; i < end;) {
    const NarrowBlock block = panel.block(i / form.block);
    const Index at = i % form.block, first = at % parts, last = min_of(parts, first + end - i);
#pragma GCC unroll 2
    for (int v = 0; v < kTileVectors; ++v) {
      Vi words = block.words(at / parts, v) >> static_cast<std::int32_t>(first * form.bits);
      const Vf scale = block.scale(v), zero = zero_points(block, v);
      float* to = out + v * kLanes;
      for (Index j = first; j < last; ++j, to += kTileColumns, words >>= width)
        store(to, (to_float(words & ((1 << width) - 1)) - zero) * scale);
    }
    out += (last - first) * kTileColumns;
    i += last - first;
  }
}

inline Vf from_half(const std::uint16_t* p, NarrowFloat type) {
  const Halves h = load_narrow<Halves>(p, kLanes);
  return type == NarrowFloat::f16 ? from_f16(h) : from_bf16(h);
}

/// Steps `depth` of a panel of narrow floats as floats.
inline void widen_halves(const float* panel, NarrowFloat type, const Depth& depth, float* out) {
  const auto* halves = reinterpret_cast<const std::uint16_t*>(panel) + depth.begin * kTileColumns;
  widen_floats(type, halves, out, depth.size * kTileColumns);
}

constexpr int kNarrowChains = 4;  ///< sums of a column that do not wait for each other

/// sum += the products of numbers from x on, over the weights of parts, with a row of words.
template <int Bits>
inline void add_words(const NarrowBlock& block, Index row, const float* x,
                      Vf (&sum)[kNarrowChains][kTileVectors]) {
  Vi words[kTileVectors];
#pragma GCC unroll 2
  for (int v = 0; v < kTileVectors; ++v) words[v] = block.words(row, v);
#pragma GCC unroll 8
  for (int j = 0; j < 32 / Bits; ++j) {
    const Vf scale = broadcast(x[j]);
    Vf(&chain)[kTileVectors] = sum[j % kNarrowChains];
#pragma GCC unroll 2
    for (int v = 0; v < kTileVectors; ++v)
      chain[v] = fma(scale, weighted_part<Bits>(words[v], j), chain[v]);
  }
}

/// sums[j] = the products of `steps` numbers, whole words of them, with column j of a panel; x is
/// over the weights of parts. Zero points are taken off by the sum of the row in each block.
template <int Bits>
[[gnu::noinline]] void sum_narrow_panel(const NarrowPanel& panel, const float* x,
                                        const float* block_sums, Index steps, float* sums) {
  constexpr Index parts = 32 / Bits;
  const Index step = panel.form.block;
  Vf total[kTileVectors] = {};
  for (Index i = 0, b = 0; i < steps; i += step, ++b) {
    const NarrowBlock block = panel.block(b);
    const Index rows = min_of(step, steps - i) / parts;
    Vf sum[kNarrowChains][kTileVectors] = {};
    for (Index row = 0; row < rows; ++row) add_words<Bits>(block, row, x + i + row * parts, sum);
    const Vf taken = broadcast(*block_sums++);
#pragma GCC unroll 2
    for (int v = 0; v < kTileVectors; ++v) {
      const Vf all = (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]);
      total[v] = fma(block.scale(v), all - zero_points(block, v) * taken, total[v]);
    }
  }
#pragma GCC unroll 2
  for (int v = 0; v < kTileVectors; ++v) store(sums + v * kLanes, total[v]);
}

/// sums[j] = the products of x with column j of a panel of narrow floats.
template <NarrowFloat Type>
[[gnu::noinline]] void sum_half_panel(const float* panel, Strided x, Index k, float* sums) {
  const auto* halves = reinterpret_cast<const std::uint16_t*>(panel);
  Vf sum[kNarrowChains][kTileVectors] = {};
  const auto add = [&](Index i, Vf(&chain)[kTileVectors]) {
    const Vf scale = broadcast(x.data[i * x.stride]);
#pragma GCC unroll 2
    for (int v = 0; v < kTileVectors; ++v)
      chain[v] = fma(scale, from_half(halves + i * kTileColumns + v * kLanes, Type), chain[v]);
  };
  Index i = 0;
  for (; i + kNarrowChains <= k; i += kNarrowChains) {
#pragma GCC unroll 4
    for (int c = 0; c < kNarrowChains; ++c) {
      fetch_ahead(halves + (i + c) * kTileColumns);
      add(i + c, sum[c]);
    }
  }
  for (; i < k; ++i) add(i, sum[0]);
#pragma GCC unroll 2
  for (int v = 0; v < kTileVectors; ++v)
    store(sums + v * kLanes, (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]));
}

/// C of one row, of narrow floats.
inline void row_times_halves(const Gemm& g, Range columns) {
  const auto sum_panel = g.narrow.floats == NarrowFloat::f16 ? sum_half_panel<NarrowFloat::f16>
                                                             : sum_half_panel<NarrowFloat::bf16>;
  alignas(64) float sums[kTileColumns];
  const Index panel_floats = narrow_panel_floats(g.narrow, g.k);
  for (Index j = columns.begin; j < columns.end; j += kTileColumns) {
    sum_panel(g.packed_b + j / kTileColumns * panel_floats, left_row(g), g.k, sums);
    emit(g, 0, j, sums, min_of(kTileColumns, columns.end - j));
  }
}

inline float sum_of(const float* x, Index n) {
  Vf total{};
  for (Index i = 0; i < n; i += kLanes) total += load_upto(x + i, n - i);
  return sum_lanes(total);
}

/// Whether a product is one of a row and a matrix of numbers that are summed before they are
/// scaled.
inline bool is_narrow_row(const Gemm& g) { return g.m == 1 && g.narrow.bits >= 4; }

inline Index whole_words(const Gemm& g) { return round_up(g.k, 32 / g.narrow.bits); }

/// For the row and its sum in each block.
inline std::size_t narrow_row_scratch(const Gemm& g) {
  if (has_narrow_floats(g.narrow)) return 0;
  return static_cast<std::size_t>(whole_words(g) + ceil_div(g.k, g.narrow.block)) * sizeof(float);
}

/// C of one row.
inline void row_times_narrow(const Gemm& g, Range columns, float* scratch) {
  if (has_narrow_floats(g.narrow)) return row_times_halves(g, columns);
  const NarrowForm& form = g.narrow;
  const Strided row = left_row(g);
  const Index steps = whole_words(g), parts = 32 / form.bits;
  float* x = scratch;
  float* block_sums = scratch + steps;
  for (Index i = 0; i < steps; ++i) x[i] = i < g.k ? row.data[i * row.stride] : 0;
  for (Index i = 0, b = 0; i < g.k; i += form.block, ++b)
    block_sums[b] = sum_of(x + i, min_of(form.block, g.k - i));
  for (Index j = 0; j < parts; ++j) {
    const float over = 1 / narrow_weight(form.bits, j);
    for (Index i = j; i < steps; i += parts) x[i] *= over;
  }
  const auto sum_panel = form.bits == 4 ? sum_narrow_panel<4> : sum_narrow_panel<8>;
  alignas(64) float sums[kTileColumns];
  const Index panel_floats = narrow_panel_floats(form, g.k);
  for (Index j = columns.begin; j < columns.end; j += kTileColumns) {
    const NarrowPanel panel(g.packed_b + j / kTileColumns * panel_floats, form, g.k);
    sum_panel(panel, x, block_sums, steps, sums);
    emit(g, 0, j, sums, min_of(kTileColumns, columns.end - j));
  }
}

}  // namespace
}  // namespace strata::kernels
