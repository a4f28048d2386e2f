#pragma once

#include "kernels/impl/binary.h"
#include "kernels/types.h"

namespace strata::kernels {
namespace {

/// y[i] = a[i] * b[i * B] + c[i * C], each rounded.
template <Index B, Index C>
inline void multiply_add_row(const float* a, const float* b, const float* c, float* y, Index n) {
  const Vf one_b = broadcast(*b), one_c = broadcast(*c);
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes)
    store(y + i, load(a + i) * (B == 0 ? one_b : load(b + i)) + (C == 0 ? one_c : load(c + i)));
  const Index left = n - i;
  if (left == 0) return;
  store_first(y + i,
              load_first(a + i, left) * (B == 0 ? one_b : load_first(b + i, left)) +
                  (C == 0 ? one_c : load_first(c + i, left)),
              left);
}

inline RowRuns rows_of(const MultiplyAdd& c) {
  return runs_of(c.outer, c.inner,
                 runs_on(c.inner, c.a_outer, 1) && runs_on(c.inner, c.b_outer, c.b_inner) &&
                     runs_on(c.inner, c.c_outer, c.c_inner));
}

/// Aligned for the sake of its short loops, as `binary` is.
[[gnu::aligned(64)]] void multiply_add(const MultiplyAdd& call) noexcept {
  const RowRuns rows = rows_of(call);
  if (rows.inner == 0) return;
  for (Index o = 0; o < rows.outer; ++o) {
    const float* a = call.a + o * call.a_outer;
    const float* b = call.b + o * call.b_outer;
    const float* c = call.c + o * call.c_outer;
    float* y = call.y + o * rows.inner;
    if (call.b_inner == 1)
      call.c_inner == 1 ? multiply_add_row<1, 1>(a, b, c, y, rows.inner)
                        : multiply_add_row<1, 0>(a, b, c, y, rows.inner);
    else
      call.c_inner == 1 ? multiply_add_row<0, 1>(a, b, c, y, rows.inner)
                        : multiply_add_row<0, 0>(a, b, c, y, rows.inner);
  }
}

}  // namespace
}  // namespace strata::kernels
