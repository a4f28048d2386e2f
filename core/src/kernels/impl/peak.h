#pragma once

#include "kernels/impl/simd_folds.h"
#include "kernels/types.h"

/// What a core can do at most, for kernels to be held against.
namespace strata::kernels {
namespace {

double peak_multiply_adds(Index steps, float* result) noexcept {
  constexpr int kChains = 12;  // more than the latency of a multiply-add hides
  Vf sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = broadcast(static_cast<float>(i));
  const Vf factor = broadcast(*result), shift = broadcast(*result + 1);
  for (Index step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sum[i] = fma(sum[i], factor, shift);
  }
  for (int i = 1; i < kChains; ++i) sum[0] += sum[i];
  *result = sum_lanes(sum[0]);
  return static_cast<double>(steps) * kChains * kLanes;
}

float peak_read(const float* x, Index n) noexcept {
  constexpr int kSums = 8;
  Vf sum[kSums] = {};
  for (Index i = 0; i + kSums * kLanes <= n; i += kSums * kLanes) {
#pragma GCC unroll 8
    for (int k = 0; k < kSums; ++k) sum[k] += load(x + i + k * kLanes);
  }
  for (int k = 1; k < kSums; ++k) sum[0] += sum[k];
  return sum_lanes(sum[0]);
}

}  // namespace
}  // namespace strata::kernels
