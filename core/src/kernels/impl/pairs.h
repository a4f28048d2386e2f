#pragma once

#include "kernels/impl/simd.h"

namespace strata::kernels {
namespace {

/// Writes the lanes a[0], b[0], a[1], b[1], …
inline void store_pairs(float* y, Vf a, Vf b) {
#if defined(__AVX512F__)
  store(y, __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  store(y + kLanes, __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                            30, 15, 31));
#elif defined(__AVX2__)
  store(y, __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
  store(y + kLanes, __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
#else
  store(y, __builtin_shufflevector(a, b, 0, 4, 1, 5));
  store(y + kLanes, __builtin_shufflevector(a, b, 2, 6, 3, 7));
#endif
}

}  // namespace
}  // namespace strata::kernels
