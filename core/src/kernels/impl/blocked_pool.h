#pragma once

#include "kernels/impl/blocked_window.h"
#include "kernels/impl/pool.h"

/// Pooling of blocked images.
namespace strata::kernels {
namespace {

struct BlockedMax {
  static constexpr bool kHasWeights = false;
  float* y;
  Vf first() const { return broadcast(MaxOf::first); }
  Vf step(Vf total, Vf x, Index) const { return maximum(total, x); }
  void finish(Vf total, Index output, const TapArea&) const {
    store(y + output * kChannelBlock, total);
  }
};

struct BlockedAverage {
  static constexpr bool kHasWeights = false;
  float* y;
  AxisTaps width;
  Index lines;  ///< taps that count along the rows

  Vf first() const { return Vf{}; }
  Vf step(Vf total, Vf x, Index) const { return total + x; }
  void finish(Vf total, Index output, const TapArea&) const {
    store(y + output * kChannelBlock, total / static_cast<float>(width.count(output) * lines));
  }
};

[[gnu::noinline]] void blocked_pool_row(const Pool& p, Range whole, const float* x, Index row,
                                        float* y) {
  const Window& w = p.window;
  for (Index lane = 0; lane < kChannelBlock; lane += kLanes) {
    if (p.kind == PoolKind::max) {
      window_row(w, whole, x + lane, row, BlockedMax{y + lane});
    } else {
      const BlockedAverage average{y + lane, counted_taps(p, 2), counted_taps(p, 1).count(row)};
      window_row(w, whole, x + lane, row, average);
    }
  }
}

void blocked_pool(const Pool& p, Range rows) noexcept {
  const Window& w = p.window;
  const Range whole = whole_windows(w);
  for_rows(w, p.planes, rows, [&](Index block, Index row) {
    blocked_pool_row(p, whole, p.x + block * volume(w.in) * kChannelBlock, row,
                     p.y + (block * w.out[1] + row) * w.out[2] * kChannelBlock);
  });
}

}  // namespace
}  // namespace strata::kernels
