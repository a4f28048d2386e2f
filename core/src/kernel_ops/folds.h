#pragma once

#include <cstdint>

#include "kernel_ops/short_folds.h"
#include "strata/core/ops/reduce.h"

/// What a reduction does with one number after the other, in the widest type of its kind.
namespace strata {

/// Folds rows of numbers into totals.
template <class Wide>
struct Folding {
  Wide start;                                                    ///< the total of no numbers
  Wide (*row)(Wide total, const Wide* x, std::int64_t n);        ///< all into one total
  void (*columns)(Wide* totals, const Wide* x, std::int64_t n);  ///< each into its own
  ShortRows<Wide> short_rows;                                    ///< each into its own
};

/// That of the sums or products that the reduction is made from; for log_sum_exp, that of max.
template <class Wide>
Folding<Wide> folding(Reduction op);

extern template Folding<double> folding(Reduction);
extern template Folding<std::int32_t> folding(Reduction);
extern template Folding<std::int64_t> folding(Reduction);
extern template Folding<std::uint64_t> folding(Reduction);

/// That of max or min of bytes, which are taken as they are.
template <class Byte>
Folding<Byte> picking(Reduction op);

extern template Folding<std::uint8_t> picking(Reduction);
extern template Folding<std::int8_t> picking(Reduction);

/// y[i] = x[i], as folds of floats need them.
void widen(const float* x, double* y, std::int64_t n);

/// The first of the greatest of n > 0 floats, NaN apart; null where the first float is NaN.
const float* first_greatest(const float* x, std::int64_t n);

}  // namespace strata
