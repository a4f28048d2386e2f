#pragma once

#include <cstdint>

#include "strata/core/ops/unary.h"

namespace strata {

/// y[i] = function of x[i], i < n; y may be the memory of x.
using DoubleRow = void (*)(const double* x, double* y, std::int64_t n);

/// The loop made for this function of doubles, or null where each element takes a call anyway.
DoubleRow double_row(UnaryOp op);

}  // namespace strata
