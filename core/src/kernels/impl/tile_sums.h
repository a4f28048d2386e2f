#pragma once

#include "kernels/impl/simd.h"
#include "kernels/types.h"

/// The sums of a register tile.
namespace strata::kernels {
namespace {

/// Steps that a tile takes at once. With vectors of eight floats a step has few sums, and takes as
/// long as its instructions do where another thread uses the same core: few are to be left for all
/// the rest.
constexpr int kStepsAtOnce = kLanes == 8 ? 4 : 1;

/// sum[r][v] = f(sum[r][v], r, v), all of them in registers.
///
/// A tile is finished by one such call after the other, not by one that does everything: choices
/// between calls are made once, choices within one for each sum and in several copies of the code.
template <int R, int V, class F>
inline void for_each_sum(Vf (&sum)[R][V], F f) {
#pragma GCC unroll 16
  for (Index r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (Index v = 0; v < V; ++v) sum[r][v] = f(sum[r][v], r, v);
  }
}

/// sum[r] += left[r] * the vectors at `right`. AVX-512 broadcasts a third of the rows as it
/// multiplies: that takes a load for each product but an instruction less for each row, and where
/// another thread uses the same core, it is for instructions that a step waits. With half of them,
/// loads would take longer than the products where weights and images are fetched ahead.
template <class Left, int R, int V>
inline void add_step(const Left& left, const float* right, Vf (&sum)[R][V]) {
  constexpr int kWithProducts = V == 1 ? R : kLanes == 16 ? R / 3 : 0;
  Vf row[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) row[v] = load(right + v * kLanes);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    if (r < kWithProducts) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) add_broadcast(sum[r][v], left[r], row[v]);
    } else {
      const Vf x = broadcast(left[r]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) add_product(sum[r][v], x, row[v]);
    }
  }
}

}  // namespace
}  // namespace strata::kernels
