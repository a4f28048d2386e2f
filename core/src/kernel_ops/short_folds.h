#pragma once

#include <cstdint>

#include "strata/core/ops/reduce.h"

/// Folds of rows so short that a call for each would take longer than the row.
namespace strata {

/// Folds `count` rows that follow each other, of n numbers each, into a total each.
template <class T>
using ShortRows = void (*)(T* totals, const T* x, std::int64_t count, std::int64_t n);

/// That of the reduction's `folding`, and of its `picking`.
template <class Wide>
ShortRows<Wide> short_folds(Reduction op);
template <class Byte>
ShortRows<Byte> short_picks(Reduction op);

extern template ShortRows<double> short_folds(Reduction);
extern template ShortRows<std::int32_t> short_folds(Reduction);
extern template ShortRows<std::int64_t> short_folds(Reduction);
extern template ShortRows<std::uint64_t> short_folds(Reduction);
extern template ShortRows<std::uint8_t> short_picks(Reduction);
extern template ShortRows<std::int8_t> short_picks(Reduction);

}  // namespace strata
