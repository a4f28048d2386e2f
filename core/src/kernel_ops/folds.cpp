#include "kernel_ops/folds.h"

#include <algorithm>

#include "kernel_ops/fold_functions.h"
#include "kernel_ops/short_folds.h"

namespace strata {
namespace {

/// Eight totals side by side, so that one need not wait for the other; one of bytes, which becomes
/// a vector of them.
template <class F, class T>
T row(T total, const T* x, std::int64_t n) {
  constexpr int kTotals = sizeof(T) == 1 ? 1 : 8;
  T totals[kTotals];
  for (T& t : totals) t = F::start;
  std::int64_t i = 0;
  for (; i + kTotals <= n; i += kTotals)
    for (int k = 0; k < kTotals; ++k) totals[k] = F::add(totals[k], x[i + k]);
  for (; i < n; ++i) totals[0] = F::add(totals[0], x[i]);
  for (const T t : totals) total = F::join(total, t);
  return total;
}

template <class F, class T>
void columns(T* totals, const T* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) totals[i] = F::add(totals[i], x[i]);
}

}  // namespace

template <class T>
Folding<T> folding(Reduction op) {
  const ShortRows<T> short_rows = short_folds<T>(op);
  return visit_fold<T>(op, [&]<class F>(F) {
    return Folding<T>{F::start, row<F, T>, columns<F, T>, short_rows};
  });
}

void widen(const float* x, double* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<double>(x[i]);
}

const float* first_greatest(const float* x, std::int64_t n) {
  constexpr int kTotals = 16;
  float totals[kTotals];
  for (float& t : totals) t = x[0];
  std::int64_t i = 0;
  for (; i + kTotals <= n; i += kTotals)
    for (int k = 0; k < kTotals; ++k) totals[k] = totals[k] < x[i + k] ? x[i + k] : totals[k];
  float greatest = totals[0];
  for (const float t : totals) greatest = greatest < t ? t : greatest;
  for (; i < n; ++i) greatest = greatest < x[i] ? x[i] : greatest;
  return greatest == greatest ? std::find(x, x + n, greatest) : nullptr;
}

template Folding<double> folding(Reduction);
template Folding<std::int32_t> folding(Reduction);
template Folding<std::int64_t> folding(Reduction);
template Folding<std::uint64_t> folding(Reduction);
template Folding<std::uint8_t> folding(Reduction);
template Folding<std::int8_t> folding(Reduction);

}  // namespace strata
