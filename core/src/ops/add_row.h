#pragma once

#include <cstdint>

namespace strata {

/// sums[i * step] += x[i], i < n.
void add_row(const float* x, std::int64_t n, std::int64_t step, double* sums);
void add_row(const double* x, std::int64_t n, std::int64_t step, double* sums);

}  // namespace strata
