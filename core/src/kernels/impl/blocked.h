#pragma once

#include <utility>

#include "kernels/impl/tile_sums.h"
#include "kernels/impl/unary.h"
#include "kernels/impl/window.h"

/// The register tile of convolutions to blocked images: some pixels by up to kTileVectors vectors
/// of channels. Inputs are broadcast, weights are vectors, so no lane is empty however few pixels
/// there are.
namespace strata::kernels {
namespace {

/// How many steps ahead weights are fetched: those of a large layer come from memory each time.
constexpr Index kStepsAhead = 64;

/// Weights so many that they come from a third cache or memory each time, with what else a net
/// reads.
constexpr Index kFarFloats = 512 * 1024;

/// Whether tiles fetch what is read or written soon.
constexpr bool kFetchesAhead = kLanes >= 8;

/// Whether they fetch a line per step: where a pixel's channels are a vector, and tiles have about
/// as many pixels as a block has channels. Else the lines of a few pixels are fetched at once
/// before a run, if they are far.
constexpr bool kFetchesBySteps = kLanes == kChannelBlock;
constexpr Index kRunLines = kFetchesBySteps ? kChannelBlock : 8;

/// Floats that a run of a block's channels fetches.
constexpr Index kRunFetched = kRunLines * kLineFloats;

/// The most places that a tile's sums go to or come from: two blocks each of y and of the residual.
constexpr Index kPlaces = 4;

/// The sums of a tile: over runs of floats that all its pixels have, `pixel_step` apart.
struct PixelTile {
  const float* x;     ///< of the first pixel
  const Index* runs;  ///< where each run begins, from x, and one that may follow them
  Index run_count;
  Index run_size;
  Index pixel_step;
  const float* weights;               ///< [run_count, run_size, channels of the tile]
  const float* places[kPlaces] = {};  ///< what the first runs fetch, a pixel per step
  Index place_count = 0;
  const float* next = nullptr;  ///< weights that later tiles read
  Index next_step = 0;          ///< from what a tile fetches of them to what the next one does
  Index next_mask = 0;          ///< runs whose number has none of these bits fetch them
  Index next_floats = 0;        ///< of them for each run, whether or not it fetches them
  bool is_far = false;          ///< whether more weights are read than a second cache keeps

  bool fetches() const { return kFetchesBySteps || (kFetchesAhead && is_far); }
};

/// Where the lines lie that a run fetches, one per step: places first, then weights in turn with
/// the inputs of the next run.
inline const float* fetched_by(const PixelTile& t, Index run) {
  if (run < t.place_count) return t.places[run];
  const Index i = run - t.place_count;
  if ((i & t.next_mask) == 0) return t.next + i * t.next_floats;
  return t.x + t.runs[run + 1];
}

/// Where the sums go: clip(sum + residual + bias), pixels kChannelBlock apart.
struct PixelFinish {
  float* y;
  const float* residual = nullptr;  ///< as y, or null
  const float* bias = nullptr;      ///< or null
  Index block_step;                 ///< floats between blocks of y
  bool clips = false;
  float low = 0;
  float high = 0;
  bool is_near = false;  ///< whether y is scratch memory, which need not be fetched

  /// Floats between the first vector of channels and another.
  Index offset(Index v) const { return kLanes >= kChannelBlock ? v * block_step : v * kLanes; }
};

template <int R, int V>
inline void finish_pixels(const PixelFinish& f, Vf (&sum)[R][V]) {
  if (f.bias) {
    for_each_sum(sum, [&](Vf s, Index, Index v) { return s + load(f.bias + v * kLanes); });
  }
  if (f.residual) {
    for_each_sum(sum, [&](Vf s, Index r, Index v) {
      return s + load(f.residual + f.offset(v) + r * kChannelBlock);
    });
  }
  if (f.clips) {
    for_each_sum(sum, [&](Vf s, Index, Index) { return clip(s, f.low, f.high); });
  }
  for_each_sum(sum, [&](Vf s, Index r, Index v) {
    store(f.y + f.offset(v) + r * kChannelBlock, s);
    return s;
  });
}

/// How many steps go to sums of their own, added up at the end: with few pixels there are too few
/// sums to hide the latency of one in the others.
constexpr int steps_apart(int pixels) {
  if (kForSize || pixels > 3) return 1;
  return pixels == 1 ? 4 : 2;
}

/// One float of each pixel.
struct PixelFloats {
  const float* first;
  Index step;
  const float& operator[](int r) const { return first[r * step]; }
};

/// sum[r] += x[r * step] times the weights.
template <int R, int V>
inline void add_pixels(const float* x, Index step, const float* weights, Vf (&sum)[R][V]) {
#pragma GCC unroll 4
  for (int i = 0; i < V * kLanes && kLanes > 4; i += kLineFloats)
    __builtin_prefetch(weights + kStepsAhead * V * kLanes + i);
  add_step(PixelFloats{x, step}, weights, sum);
}

/// R pixels and V vectors of channels. `Step` is the tile's pixel step where it is known
/// beforehand, else 0; if it is a block or more, runs are blocks, and nothing is left out.
template <int R, int V, int Step>
void pixel_tile(const PixelTile& t, const PixelFinish& finish) noexcept {
  constexpr int apart = steps_apart(R);
  constexpr int at_once = kStepsAtOnce > apart ? kStepsAtOnce : apart;
  const bool fetches = V == 2 && Step >= kChannelBlock && t.fetches();
  Vf sum[apart][R][V] = {};
  const Index step = Step == 0 ? t.pixel_step : Step;
  const Index size = Step >= kChannelBlock ? kChannelBlock : t.run_size;
  const float* weights = t.weights;
  for (Index run = 0; run < t.run_count; ++run) {
    const float* x = t.x + t.runs[run];
    const float* ahead = fetches ? fetched_by(t, run) : nullptr;
    if (fetches && !kFetchesBySteps && R > kMaxTileRows / 2) {
#pragma GCC unroll 8
      for (Index line = 0; line < kRunLines; ++line) __builtin_prefetch(ahead + line * kLineFloats);
    }
    Index i = 0;
    for (; i + at_once <= size; i += at_once) {
#pragma GCC unroll 4
      for (int s = 0; s < at_once; ++s, ++x, weights += V * kLanes) {
        if (fetches && kFetchesBySteps) __builtin_prefetch(ahead + (i + s) * kLineFloats);
        add_pixels<R, V>(x, step, weights, sum[s % apart]);
      }
    }
    if constexpr (at_once > 1 && Step < kChannelBlock) {
      for (; i < size; ++i, ++x, weights += V * kLanes) add_pixels<R, V>(x, step, weights, sum[0]);
    }
  }
  // On its own: some compilers keep sums that a call reads in memory, step by step.
  Vf total[R][V];
  for_each_sum(total, [&](Vf, Index r, Index v) { return sum[0][r][v]; });
#pragma GCC unroll 4
  for (int s = 1; s < apart; ++s)
    for_each_sum(total, [&](Vf all, Index r, Index v) { return all + sum[s][r][v]; });
  finish_pixels<R, V>(finish, total);
}

using PixelFunction = void (*)(const PixelTile&, const PixelFinish&) noexcept;

template <int V, int Step, int... R>
constexpr auto pixel_functions(std::integer_sequence<int, R...>) {
  struct Table {
    PixelFunction of[sizeof...(R)];
  };
  return Table{{pixel_tile<R + 1, V, Step>...}};
}

template <int V, int Step>
inline constexpr auto kPixelFunctions =
    pixel_functions<V, Step>(std::make_integer_sequence<int, kMaxTileRows>{});

/// One vector of channels is too rare to have functions for each step.
inline PixelFunction pixel_function(const PixelTile& tile, Index pixels, Index channels) {
  const Index i = pixels - 1;
  if (channels <= kLanes) return kPixelFunctions<1, 0>.of[i];
  if (tile.run_size == kChannelBlock && tile.pixel_step == kChannelBlock)
    return kPixelFunctions<2, kChannelBlock>.of[i];
  if (tile.run_size == kChannelBlock && tile.pixel_step == 2 * kChannelBlock)
    return kPixelFunctions<2, 2 * kChannelBlock>.of[i];
  return kPixelFunctions<2, 0>.of[i];
}

/// Lets a tile fetch the places where its sums go, and its residual, so that its end waits for
/// neither.
inline void set_places(PixelTile& tile, const PixelFinish& f, Index channels) {
  const float* const images[] = {f.is_near ? nullptr : f.y, f.residual};
  tile.place_count = 0;
  for (const float* image : images)
    for (Index c = 0; image && c < channels; c += kChannelBlock, image += f.block_step)
      tile.places[tile.place_count++] = image;
}

/// Lets some rows of tiles that read the same weights each fetch a part of the weights that follow.
inline void set_next(PixelTile& tile, Index rows, Index pixels, Index channels) {
  const Index floats = tile.run_count * tile.run_size * channels;
  tile.next = tile.weights + floats;
  tile.next_step = floats / (rows * ceil_div(pixels, panel_rows(pixels)));
  tile.next_mask = 0;
  while (tile.next_mask < kRunFetched - 1 &&
         2 * tile.next_step * (tile.next_mask + 1) <= tile.run_count * kRunFetched)
    tile.next_mask = 2 * tile.next_mask + 1;
  tile.next_floats = kRunFetched / (tile.next_mask + 1);
}

/// A run of pixels and one panel of `channels` weights, in tiles of even size. `tile` moves past
/// them.
inline void run_pixels(PixelTile& tile, PixelFinish finish, Index pixels, Index channels) {
  const Index size = panel_rows(pixels);
  for (Index done = 0; done < pixels; done += size) {
    const Index count = min_of(size, pixels - done);
    if (tile.fetches()) set_places(tile, finish, channels);
    pixel_function(tile, count, channels)(tile, finish);
    tile.x += count * tile.pixel_step;
    tile.next += tile.next_step;
    finish.y += count * kChannelBlock;
    if (finish.residual) finish.residual += count * kChannelBlock;
  }
}

inline PixelFinish plain_finish(float* y, Index block_step) {
  return {.y = y, .block_step = block_step, .is_near = true};
}

/// Applies what is not part of a tile's finish to n floats just stored.
inline void activate_run(const UnaryFunction& f, float* y, Index n) {
  if (f.op != Unary::identity && !is_clip(f.op)) unary(f, y, y, n);
}

/// Whether an image has enough rows for threads to share those rather than channels: seven for each
/// of two.
inline bool shares_rows(const Window& w) { return w.out[1] >= 14; }

}  // namespace
}  // namespace strata::kernels
