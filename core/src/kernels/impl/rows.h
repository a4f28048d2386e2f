#pragma once

#include "kernels/impl/index.h"
#include "kernels/impl/simd_folds.h"
#include "kernels/impl/unary.h"

/// Sums and extremes of rows, and what is normalised by them.
namespace strata::kernels {
namespace {

constexpr Index kSumBlock =
    4096;  ///< block sums are added in double, so that long rows stay exact enough

/// The sum of f(x[i]), i < n, by lanes.
template <class F>
inline Vf sum_to_lanes(const float* x, Index n, F f) {
  Vf sum[4] = {};
  Index i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) sum[v] += f(load(x + i + v * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) sum[0] += f(load(x + i));
  if (i < n) {
    const Vi used = lane_numbers() < static_cast<std::int32_t>(n - i);
    sum[1] += used ? f(load_first(x + i, n - i)) : Vf{};
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class F>
inline double sum_row(const float* x, Index n, F f) {
  double total = 0;
  for (Index i = 0; i < n; i += kSumBlock) {
    const Index end = i + kSumBlock < n ? kSumBlock : n - i;
    total += static_cast<double>(sum_lanes(sum_to_lanes(x + i, end, f)));
  }
  return total;
}

/// Extremes; `of_numbers` passes over NaN in x, the other one keeps it.
struct Maximum {
  static constexpr float start = -__builtin_inff();  ///< of nothing
  static Vf of_numbers(Vf best, Vf x) { return at_least(best, x); }
  Vf operator()(Vf a, Vf b) const { return maximum(a, b); }
};
struct Minimum {
  static constexpr float start = __builtin_inff();
  static Vf of_numbers(Vf best, Vf x) { return at_most(best, x); }
  Vf operator()(Vf a, Vf b) const { return minimum(a, b); }
};

/// The extremes of a row by lanes; NaN where there are any, which are found by their size as
/// numbers.
template <class F>
inline Vf extremes_to_lanes(const float* x, Index n) {
  constexpr int together = 4;
  const Vf start = broadcast(F::start);
  Vf best[together] = {start, start, start, start};
  Vi size[together] = {};
  const auto take = [&](int k, Vf v) {
    best[k] = F::of_numbers(best[k], v);
    const Vi own = bits(abs(v));
    size[k] = size[k] > own ? size[k] : own;
  };
  Index i = 0;
  for (; i + together * kLanes <= n; i += together * kLanes) {
#pragma GCC unroll 4
    for (int k = 0; k < together; ++k) take(k, load(x + i + k * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) take(0, load(x + i));
  if (i < n) {
    const Vi used = lane_numbers() < static_cast<std::int32_t>(n - i);
    take(1, used ? load_first(x + i, n - i) : start);
  }
  const auto larger = [](Vi a, Vi b) { return a > b ? a : b; };
  const Vi most = larger(larger(size[0], size[1]), larger(size[2], size[3]));
  const Vf extreme =
      F::of_numbers(F::of_numbers(best[0], best[1]), F::of_numbers(best[2], best[3]));
  return most > 0x7f800000 ? broadcast(__builtin_nanf("")) : extreme;
}

template <class F>
inline float extreme_row(const float* x, Index n) {
  return fold_lanes(extremes_to_lanes<F>(x, n), F{})[0];
}
inline float max_row(const float* x, Index n) { return extreme_row<Maximum>(x, n); }
inline float min_row(const float* x, Index n) { return extreme_row<Minimum>(x, n); }

/// y[r] = the lanes of row(r) folded by f, for up to kLanes rows at once, whose last steps take the
/// time of a few rows'. Writes kLanes numbers.
template <class Row, class F>
inline void fold_rows(float* y, Index rows, Row row, F f) {
  Vf parts[kLanes];
  for (Index r = 0; r < kLanes; ++r)
    parts[place_of_sum(static_cast<int>(r))] = r < rows ? row(r) : Vf{};
  store(y, folds_of_lanes(parts, f));
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
  if (c.channels > 0) {
    const Index channel = (c.first + row) % c.channels;
    const Vf bias = broadcast(c.bias[channel]);
    norm.factor *= c.scale[channel];
    return normalise_row(x, y, c.columns, norm, as_is,
                         [=](Vf v, Index, Index) { return v + bias; });
  }
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
