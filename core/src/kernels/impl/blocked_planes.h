#pragma once

#include <utility>

#include "kernels/impl/blocked.h"
#include "kernels/impl/gemm_driver.h"

/// From blocks to planes, a few pixels at a time while they are still in the nearest cache.
namespace strata::kernels {
namespace {

constexpr Index kStagedTiles = 8;  ///< of pixels
constexpr Index kStagedPixels = kStagedTiles * kMaxTileRows;
constexpr Index kStagedFloats =
    kStagedPixels * (kTileColumns > kChannelBlock ? kTileColumns : kChannelBlock);

/// Where the pixels of some channels go: one row a channel.
struct PlaneRows {
  float* y;
  Index step;  ///< between channels
  Index channels;
};

/// Every other part of four lanes, from part `First` on: those of a, then those of b.
template <int First, int... Lanes>
inline Vf other_parts(Vf a, Vf b, std::integer_sequence<int, Lanes...>) {
  constexpr int half = kLanes / 2;
  return __builtin_shufflevector(
      a, b, (Lanes / half * kLanes + (Lanes % half / 4 * 2 + First) * 4 + Lanes % 4)...);
}

/// Part i of v[k * Step] becomes part k of v[i * Step], i and k below `Count`; `times` is Count.
template <int Count, int Step, int times = Count>
inline void turn_parts(Vf* v) {
  if constexpr (times > 1) {
    constexpr auto all = std::make_integer_sequence<int, kLanes>{};
    Vf w[Count];
#pragma GCC unroll 2
    for (int i = 0; i < Count / 2; ++i) {
      w[i] = other_parts<0>(v[2 * i * Step], v[(2 * i + 1) * Step], all);
      w[i + Count / 2] = other_parts<1>(v[2 * i * Step], v[(2 * i + 1) * Step], all);
    }
#pragma GCC unroll 4
    for (int i = 0; i < Count; ++i) v[i * Step] = w[i];
    turn_parts<Count, Step, times / 2>(v);
  }
}

/// Lane i of v[k] becomes lane k of v[i].
inline void turn_square(Vf (&v)[kLanes]) {
#pragma GCC unroll 4
  for (int i = 0; i < kLanes; i += 4) turn_fours(v[i], v[i + 1], v[i + 2], v[i + 3]);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) turn_parts<kLanes / 4, 4>(v + i);
}

/// Channels of some pixels kChannelBlock apart, one vector each.
inline void turn_pixels(const float* pixels, Vf (&v)[kLanes]) {
#pragma GCC unroll 16
  for (Index i = 0; i < kLanes; ++i) v[i] = load(pixels + i * kChannelBlock);
  turn_square(v);
}

/// By way of `turned`, so that each channel is stored a run at a time.
inline void store_by_runs(const float* pixels, Index count, PlaneRows to) {
  constexpr Index kRun = 128;  // pixels: all lanes of them are 8 kB at most, in a first cache
  alignas(64) float turned[kLanes * kRun];
  for (Index first = 0; first < count; first += kRun, pixels += kRun * kChannelBlock) {
    const Index run = min_of(kRun, count - first);
    for (Index p = 0; p < run; p += kLanes) {
      Vf v[kLanes];
      turn_pixels(pixels + p * kChannelBlock, v);
#pragma GCC unroll 16
      for (Index i = 0; i < kLanes; ++i) store(turned + i * kRun + p, v[i]);
    }
    for (Index i = 0; i < to.channels; ++i) {
      float* y = to.y + i * to.step + first;
      for (Index p = 0; p < run; p += kLanes)
        store_upto(y + p, load(turned + i * kRun + p), run - p);
    }
  }
}

/// Pixels kChannelBlock apart, of no more channels than that; those up to a multiple of kLanes are
/// readable. Channels whole pages apart share the sets of a cache, and would drive each other out
/// of it.
[[gnu::noinline]] inline void store_planes(const float* pixels, Index count, PlaneRows to) {
  for (Index c = 0; c < to.channels; c += kLanes) {
    const PlaneRows rows{to.y + c * to.step, to.step, min_of(kLanes, to.channels - c)};
    if (to.step % kPageFloats == 0) {
      store_by_runs(pixels + c, count, rows);
      continue;
    }
    for (Index first = 0; first < count; first += kLanes) {
      Vf v[kLanes];
      turn_pixels(pixels + first * kChannelBlock + c, v);
      float* y = rows.y + first;
#pragma GCC unroll 16
      for (Index i = 0; i < kLanes; ++i, y += to.step)
        if (i < rows.channels) store_upto(y, v[i], count - first);
    }
  }
}

/// Pixels of the blocks of some channels, those of a block `block_step` after those of the one
/// before.
inline void store_blocks(const float* blocks, Index block_step, Index count, PlaneRows to) {
  for (Index c = 0; c < to.channels; c += kChannelBlock, blocks += block_step)
    store_planes(blocks, count,
                 {to.y + c * to.step, to.step, min_of(kChannelBlock, to.channels - c)});
}

/// Like `run_pixels`, but to planes; what finish says about y is not read, and it has no residual.
inline void run_pixels_to_planes(PixelTile& tile, PixelFinish finish, Index pixels, Index channels,
                                 PlaneRows to) {
  alignas(64) float staged[kStagedFloats];
  finish.y = staged;
  finish.block_step = kStagedPixels * kChannelBlock;
  const Index most = kStagedTiles * panel_rows(pixels);
  for (Index done = 0; done < pixels; done += most) {
    const Index count = min_of(most, pixels - done);
    run_pixels(tile, finish, count, channels);
    store_blocks(staged, finish.block_step, count, {to.y + done, to.step, to.channels});
  }
}

}  // namespace
}  // namespace strata::kernels
