#pragma once

#include "kernels/impl/blocked_window.h"
#include "kernels/impl/pool.h"

/// Pooling of blocked images.
namespace strata::kernels {
namespace {

struct BlockedMax {
  static constexpr int kMostNeighbours = 0;
  float* y;
  Vf first() const { return broadcast(MaxOf::first); }
  Vf step(Vf total, Vf x) const { return maximum(total, x); }
  void finish(Vf total, Index output, const TapArea&) const {
    store(y + output * kChannelBlock, total);
  }
};

struct BlockedAverage {
  static constexpr int kMostNeighbours = 0;
  float* y;
  float count;  ///< of taps

  Vf first() const { return Vf{}; }
  Vf step(Vf total, Vf x) const { return total + x; }
  void finish(Vf total, Index output, const TapArea&) const {
    store(y + output * kChannelBlock, total / count);
  }
};

/// Averages of a row, whose outputs may count more or fewer taps along it.
struct BlockedAverageRow {
  static constexpr int kMostNeighbours = 0;
  float* y;
  AxisTaps width;
  Index lines;  ///< taps along the rows that count
};

inline BlockedAverage op_of_run(const BlockedAverageRow& op, Index first) {
  return {op.y, static_cast<float>(max_of(op.width.count(first) * op.lines, 1))};
}

[[gnu::noinline]] void blocked_pool_row(const Pool& p, Range whole, const float* x, Index row,
                                        float* y) {
  const Window& w = p.window;
  for (Index lane = 0; lane < kChannelBlock; lane += kLanes) {
    if (p.kind == PoolKind::max) {
      window_row(w, whole, x + lane, row, BlockedMax{y + lane});
    } else {
      const BlockedAverageRow average{y + lane, counted_taps(p, 2), counted_taps(p, 1).count(row)};
      window_row(w, whole, x + lane, row, average);
    }
  }
}

void blocked_pool(const Pool& p, Range rows) noexcept {
  const Window& w = p.window;
  const Range whole = whole_windows(w);
  for_rows(w, p.planes, rows, [&](Index block, Range some) {
    for (Index row = some.begin; row < some.end; ++row)
      blocked_pool_row(p, whole, p.x + block * volume(w.in) * kChannelBlock, row,
                       p.y + (block * w.out[1] + row) * w.out[2] * kChannelBlock);
  });
}

}  // namespace
}  // namespace strata::kernels
