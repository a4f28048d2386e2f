#pragma once

#include <cstdint>

#include "kernel_ops/short_folds.h"
#include "strata/core/ops/reduce.h"

/// What a reduction does with one number after the other: in the widest type of its kind, or of
/// bytes, whose greatest and least are found as they are.
namespace strata {

/// Folds rows of numbers into totals.
template <class T>
struct Folding {
  T start;                                                 ///< the total of no numbers
  T (*row)(T total, const T* x, std::int64_t n);           ///< all into one total
  void (*columns)(T* totals, const T* x, std::int64_t n);  ///< each into its own
  ShortRows<T> short_rows;                                 ///< each into its own
};

/// That of the sums or products that the reduction is made from; for log_sum_exp, that of max.
template <class T>
Folding<T> folding(Reduction op);

/// y[i] = x[i], as folds of floats need them.
void widen(const float* x, double* y, std::int64_t n);

/// The first of the greatest of n > 0 floats, NaN apart; null where the first float is NaN.
const float* first_greatest(const float* x, std::int64_t n);

}  // namespace strata
