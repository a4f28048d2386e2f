#pragma once

#include "kernel_testing.h"

/// Attention of one head, in double, as it is defined.
namespace strata::kernels::testing {

inline constexpr double kTolerance = 3e-6;  ///< of attention, beside what the definition gives

inline double at(const MatrixView& m, Index i, Index j) {
  return static_cast<double>(m.data[i * m.row_stride + j * m.column_stride]);
}

/// The scores of one query: capped products plus mask.
inline std::vector<double> scores_of(const Attention& a, Index query) {
  std::vector<double> scores;
  for (Index key = 0; key < a.keys; ++key) {
    double sum = 0;
    for (Index i = 0; i < a.depth; ++i) sum += at(a.q, query, i) * at(a.k, key, i);
    sum *= static_cast<double>(a.scale);
    const double cap = static_cast<double>(a.cap);
    if (cap != 0) sum = cap * std::tanh(sum / cap);
    scores.push_back(a.mask.data ? sum + at(a.mask, query, key) : sum);
  }
  return scores;
}

/// e^score over their sum; NaN if any score is.
inline std::vector<double> softmax_of(std::vector<double> scores) {
  double highest = -static_cast<double>(kInf), sum = 0;
  for (const double x : scores) highest = std::isnan(x) ? x : std::fmax(highest, x);
  for (double& x : scores) sum += x = std::exp(x - highest);
  for (double& x : scores) x /= sum;
  return scores;
}

inline std::vector<double> reference(const Attention& a) {
  std::vector<double> y;
  for (Index query = 0; query < a.queries; ++query) {
    const std::vector<double> weights = softmax_of(scores_of(a, query));
    for (Index j = 0; j < a.width; ++j) {
      double sum = 0;
      for (Index key = 0; key < a.keys; ++key) sum += weights[size(key)] * at(a.v, key, j);
      y.push_back(sum);
    }
  }
  return y;
}

}  // namespace strata::kernels::testing
