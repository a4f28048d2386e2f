#pragma once

#include <cstdint>

#include "strata/core/ops/reduce.h"

/// Folds of rows so short that a call for each would take longer than the row.
namespace strata {

/// Folds `count` rows that follow each other, of n numbers each, into a total each.
template <class T>
using ShortRows = void (*)(T* totals, const T* x, std::int64_t count, std::int64_t n);

/// That of the reduction's `folding`, of any of its types.
template <class T>
ShortRows<T> short_folds(Reduction op);

}  // namespace strata
