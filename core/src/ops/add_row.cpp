#include "ops/add_row.h"

namespace strata {
namespace {

template <class T>
void add(const T* x, std::int64_t n, std::int64_t step, double* sums) {
  if (step == 1)
    for (std::int64_t i = 0; i < n; ++i) sums[i] += static_cast<double>(x[i]);
  else
    for (std::int64_t i = 0; i < n; ++i) sums[i * step] += static_cast<double>(x[i]);
}

}  // namespace

void add_row(const float* x, std::int64_t n, std::int64_t step, double* sums) {
  add(x, n, step, sums);
}
void add_row(const double* x, std::int64_t n, std::int64_t step, double* sums) {
  add(x, n, step, sums);
}

}  // namespace strata
