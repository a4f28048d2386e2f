#pragma once

#include "kernels/impl/index.h"
#include "kernels/impl/unary.h"

/// Sums and extremes of rows, and what is normalised by them.
namespace strata::kernels {
namespace {

constexpr Index kSumBlock =
    4096;  ///< block sums are added in double, so that long rows stay exact enough

/// The sum of f(x[i]), i < n.
template <class F>
inline float sum_block(const float* x, Index n, F f) {
  Vf sum[4] = {};
  Index i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (int v = 0; v < 4; ++v) sum[v] += f(load(x + i + v * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) sum[0] += f(load(x + i));
  if (i < n) {
    const Vi used = lane_numbers() < static_cast<std::int32_t>(n - i);
    sum[1] += used ? f(load_first(x + i, n - i)) : Vf{};
  }
  return sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

template <class F>
inline double sum_row(const float* x, Index n, F f) {
  double total = 0;
  for (Index i = 0; i < n; i += kSumBlock) {
    total += static_cast<double>(sum_block(x + i, i + kSumBlock < n ? kSumBlock : n - i, f));
  }
  return total;
}

/// The elements folded into one by f; `start` of nothing.
template <class F>
inline float fold_row(const float* x, Index n, float start, F f) {
  const Vf first = broadcast(start);
  Vf best[2] = {first, first};
  Index i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    best[0] = f(best[0], load(x + i));
    best[1] = f(best[1], load(x + i + kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) best[0] = f(best[0], load(x + i));
  if (i < n) {
    const Vi used = lane_numbers() < static_cast<std::int32_t>(n - i);
    best[1] = f(best[1], used ? load_first(x + i, n - i) : first);
  }
  return fold_lanes(f(best[0], best[1]), f)[0];
}

/// NaN if any element is; -inf of nothing.
inline float max_row(const float* x, Index n) {
  return fold_row(x, n, -__builtin_inff(), [](Vf a, Vf b) { return maximum(a, b); });
}

/// NaN if any element is; inf of nothing.
inline float min_row(const float* x, Index n) {
  return fold_row(x, n, __builtin_inff(), [](Vf a, Vf b) { return minimum(a, b); });
}

/// What a row is normalised with.
struct RowNorm {
  float mean;
  float factor;
};

/// y = (x - mean) * factor * scale + bias over one row.
template <class Scale, class Bias>
inline void normalise_row(const float* x, float* y, Index n, RowNorm norm, Scale scale, Bias bias) {
  for (Index i = 0; i < n; i += kLanes) {
    const Index left = n - i;
    const Vf v = (load_upto(x + i, left) - norm.mean) * norm.factor;
    store_upto(y + i, bias(scale(v, i, left), i, left), left);
  }
}

inline void normalise_row(const LayerNorm& c, Index row, RowNorm norm) {
  const float* x = c.x + row * c.columns;
  float* y = c.y + row * c.columns;
  const auto times = [&](Vf v, Index i, Index left) { return v * load_upto(c.scale + i, left); };
  const auto plus = [&](Vf v, Index i, Index left) { return v + load_upto(c.bias + i, left); };
  const auto as_is = [](Vf v, Index, Index) { return v; };
  if (c.scale)
    c.bias ? normalise_row(x, y, c.columns, norm, times, plus)
           : normalise_row(x, y, c.columns, norm, times, as_is);
  else
    c.bias ? normalise_row(x, y, c.columns, norm, as_is, plus)
           : normalise_row(x, y, c.columns, norm, as_is, as_is);
}

constexpr Index kRowGroup = 4;  ///< rows taken through each step together: what ends a row waits

/// Calls visit(first row, count) for groups of rows.
template <class Visit>
inline void for_each_group(Index rows, Visit visit) {
  for (Index r = 0; r < rows; r += kRowGroup) visit(r, min_of(kRowGroup, rows - r));
}

void layer_norm(const LayerNorm& c) noexcept {
  const double n = static_cast<double>(c.columns);
  for_each_group(c.rows, [&](Index first, Index count) {
    const float* x = c.x + first * c.columns;
    RowNorm norms[kRowGroup] = {};
    for (Index r = 0; c.form == NormForm::centred && r < count; ++r) {
      const double sum = sum_row(x + r * c.columns, c.columns, [](Vf v) { return v; });
      norms[r].mean = static_cast<float>(sum / n);
    }
    for (Index r = 0; r < count; ++r) {
      const float mean = norms[r].mean;
      const auto square = [=](Vf v) { return (v - mean) * (v - mean); };
      const double variance = sum_row(x + r * c.columns, c.columns, square) / n;
      const double deviation = __builtin_sqrt(variance + static_cast<double>(c.epsilon));
      norms[r].factor = static_cast<float>(1.0 / deviation);
    }
    for (Index r = 0; r < count; ++r) normalise_row(c, first + r, norms[r]);
  });
}

}  // namespace
}  // namespace strata::kernels
