#pragma once

#include "kernels/impl/unary.h"

/// Kernels that reduce each row of a dense [rows, columns] matrix.
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

/// NaN if any element is; -inf of nothing.
inline float max_row(const float* x, Index n) {
  const Vf lowest = broadcast(-__builtin_inff());
  Vf best[2] = {lowest, lowest};
  Index i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    best[0] = maximum(best[0], load(x + i));
    best[1] = maximum(best[1], load(x + i + kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) best[0] = maximum(best[0], load(x + i));
  if (i < n) {
    const Vi used = lane_numbers() < static_cast<std::int32_t>(n - i);
    best[1] = maximum(best[1], used ? load_first(x + i, n - i) : lowest);
  }
  return max_lanes(maximum(best[0], best[1]));
}

inline float reduce_row(Reduction kind, const float* x, Index n) {
  if (kind == Reduction::max) return max_row(x, n);
  const double sum = sum_row(x, n, [](Vf v) { return v; });
  return static_cast<float>(kind == Reduction::mean ? sum / static_cast<double>(n) : sum);
}

void reduce(Reduction kind, const float* x, float* y, Index rows, Index columns) noexcept {
  for (Index r = 0; r < rows; ++r) y[r] = reduce_row(kind, x + r * columns, columns);
}

void softmax(const float* x, float* y, Index rows, Index columns) noexcept {
  for (Index r = 0; r < rows; ++r, x += columns, y += columns) {
    const float highest = max_row(x, columns);
    map(x, y, columns, [=](Vf v) { return exp(v - highest); });
    const double sum = sum_row(y, columns, [](Vf v) { return v; });
    const float scale = static_cast<float>(1.0 / sum);
    map(y, y, columns, [=](Vf v) { return v * scale; });
  }
}

/// y = (x - mean) * factor * scale + bias over one row.
inline void normalise_row(const LayerNorm& c, Index row, float mean, float factor) {
  const float* x = c.x + row * c.columns;
  float* y = c.y + row * c.columns;
  map(x, y, c.columns, [=](Vf v) { return (v - mean) * factor; });
  Index i = 0;
  for (; i + kLanes <= c.columns; i += kLanes) {
    Vf v = load(y + i);
    if (c.scale) v *= load(c.scale + i);
    if (c.bias) v += load(c.bias + i);
    store(y + i, v);
  }
  for (; i < c.columns; ++i) {
    if (c.scale) y[i] *= c.scale[i];
    if (c.bias) y[i] += c.bias[i];
  }
}

void layer_norm(const LayerNorm& c) noexcept {
  for (Index r = 0; r < c.rows; ++r) {
    const float* x = c.x + r * c.columns;
    const double n = static_cast<double>(c.columns);
    const float mean = static_cast<float>(sum_row(x, c.columns, [](Vf v) { return v; }) / n);
    const auto square = [=](Vf v) { return (v - mean) * (v - mean); };
    const double variance = sum_row(x, c.columns, square) / n;
    const double deviation = __builtin_sqrt(variance + static_cast<double>(c.epsilon));
    normalise_row(c, r, mean, static_cast<float>(1.0 / deviation));
  }
}

}  // namespace
}  // namespace strata::kernels
