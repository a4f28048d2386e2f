#pragma once

#include "kernels/impl/simd.h"

/// Weighted sums of pixels that lie anywhere in an image in blocks.
namespace strata::kernels {
namespace {

void pick_blocks(const BlockPicks& c) noexcept {
  constexpr Index kVectors = kChannelBlock / kLanes;
  const std::int32_t* element = c.elements;
  const float* weight = c.weights;
  float* y = c.y;
  for (Index place = 0; place < c.places; ++place, y += kChannelBlock) {
    Vf sum[kVectors] = {};
    for (Index t = 0; t < c.picks; ++t, ++element, ++weight) {
      if (*element < 0) continue;
      const float* pixel = c.x + *element * kChannelBlock;
      const Vf w = broadcast(*weight);
      for (Index v = 0; v < kVectors; ++v) sum[v] = fma(w, load(pixel + v * kLanes), sum[v]);
    }
    for (Index v = 0; v < kVectors; ++v) store(y + v * kLanes, sum[v]);
  }
}

}  // namespace
}  // namespace strata::kernels
