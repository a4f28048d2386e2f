#pragma once

#include <utility>

#include "kernels/impl/index.h"
#include "kernels/impl/wide.h"
#include "kernels/types.h"

/// The best elements of a row, best first. Each element becomes a key of 64 bits that holds its
/// place too, so that no two are equal and the greatest tells all: the float as an integer of the
/// same order above, the complement of the place below.
namespace strata::kernels {
namespace {

inline Vl load_keys(const std::int64_t* p) { return *reinterpret_cast<const UnalignedVl*>(p); }
inline void store_keys(std::int64_t* p, Vl v) { *reinterpret_cast<UnalignedVl*>(p) = v; }

constexpr std::int64_t kNoKey = INT64_MIN;  ///< below that of any element

/// The keys of a row lie in blocks, about as many as a block has keys: to find the next best takes
/// one look through the bests of all blocks, and one through the block that loses its own.
struct KeyBlocks {
  explicit KeyBlocks(Index n) {
    while ((Index{1} << (2 * bits)) < n) ++bits;
    count = ceil_div(n, keys());
  }

  Index keys() const { return Index{1} << bits; }  ///< of one block; whole vectors
  Index all_keys() const { return count << bits; }
  Index tops() const { return ceil_div(count, kWideLanes) * kWideLanes; }

  int bits = 4;  ///< of a key's number within its block
  Index count;
  static_assert(kLanes <= 1 << 4);
};

constexpr Index kMostAtOnce = 2;
constexpr Index kShortSearch = 4096;  ///< keys of several longer ones take much memory

/// Rows that are searched side by side, as each step of a search waits for the one before.
inline Index rows_at_once(Index length) { return length <= kShortSearch ? kMostAtOnce : 1; }

/// Keys and tops of a row.
inline Index search_size(const KeyBlocks& blocks) { return blocks.all_keys() + blocks.tops(); }

[[gnu::cold]] std::size_t top_k_scratch(Index length) noexcept {
  return static_cast<std::size_t>(rows_at_once(length) * search_size(KeyBlocks(length))) *
         sizeof(std::int64_t);
}

/// Integers in the order of the floats: zeros are equal, NaN is the greatest.
inline Vi ordered(Vf x) {
  const Vi b = bits(x + 0.0f);
  const Vi order = b ^ ((b >> 31) & INT32_MAX);
  return x != x ? broadcast(INT32_MAX) : order;
}

/// Fills whole blocks.
inline void write_keys(const TopK& c, const float* x, std::int64_t* keys, Index all_keys) {
  const std::int32_t turned = c.extreme == Extreme::max ? 0 : -1;
  Vi below = ~lane_numbers();
  for (Index i = 0; i < c.length; i += kLanes, below -= kLanes) {
    const Index left = min_of(kLanes, c.length - i);
    Vf v{};
    if (c.inner == 1) {
      v = load_upto(x + i, left);
    } else {
      for (Index lane = 0; lane < left; ++lane) v[lane] = x[(i + lane) * c.inner];
    }
    store_words(keys + i, below, ordered(v) ^ turned);
  }
  for (Index i = c.length; i < all_keys; ++i) keys[i] = kNoKey;
}

template <int... Lanes>
inline std::int64_t greatest_lane(Vl v, std::integer_sequence<int, Lanes...>) {
  for (int width = kWideLanes / 2; width > 0; width /= 2) {
    const Vl other = width == 4   ? __builtin_shufflevector(v, v, ((Lanes + 4) % kWideLanes)...)
                     : width == 2 ? __builtin_shufflevector(v, v, ((Lanes + 2) % kWideLanes)...)
                                  : __builtin_shufflevector(v, v, ((Lanes + 1) % kWideLanes)...);
    v = v > other ? v : other;
  }
  return v[0];
}

/// The greatest of n keys, n a multiple of the lanes, once all that equal `taken` are gone.
inline std::int64_t greatest_without(std::int64_t* keys, Index n, std::int64_t taken) {
  const Vl none = Vl{} + kNoKey, gone = Vl{} + taken;
  Vl best[2] = {none, none};
  for (Index i = 0; i < n; i += 2 * kWideLanes) {
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      const Vl v = load_keys(keys + i + k * kWideLanes);
      const Vl rest = v == gone ? none : v;
      store_keys(keys + i + k * kWideLanes, rest);
      best[k] = rest > best[k] ? rest : best[k];
    }
  }
  return greatest_lane(best[0] > best[1] ? best[0] : best[1],
                       std::make_integer_sequence<int, kWideLanes>{});
}

inline std::int64_t greatest_top(const std::int64_t* tops, Index n) {
  if (n <= kWideLanes) {
    std::int64_t best = tops[0];
    for (Index i = 1; i < n; ++i) best = tops[i] > best ? tops[i] : best;
    return best;
  }
  Vl best = load_keys(tops);
  for (Index i = kWideLanes; i < n; i += kWideLanes) {
    const Vl v = load_keys(tops + i);
    best = v > best ? v : best;
  }
  return greatest_lane(best, std::make_integer_sequence<int, kWideLanes>{});
}

/// A row, where its best go, and what is left of it to find them in.
struct Search {
  const float* x;
  float* values;
  std::int64_t* places;
  std::int64_t* keys;
  std::int64_t* tops;  ///< the best of each block
};

inline void renew_top(const Search& s, const KeyBlocks& blocks, Index block, std::int64_t taken) {
  s.tops[block] = greatest_without(s.keys + (block << blocks.bits), blocks.keys(), taken);
}

inline void begin(const Search& s, const TopK& c, const KeyBlocks& blocks) {
  write_keys(c, s.x, s.keys, blocks.all_keys());
  for (Index b = 0; b < blocks.count; ++b) renew_top(s, blocks, b, kNoKey);
  for (Index b = blocks.count; b < blocks.tops(); ++b) s.tops[b] = kNoKey;
}

/// Finds the best but i.
inline void go_on(const Search& s, const TopK& c, const KeyBlocks& blocks, Index i) {
  const std::int64_t best = greatest_top(s.tops, blocks.count);
  const std::int64_t place = std::int64_t{UINT32_MAX} - (best & UINT32_MAX);
  s.values[i * c.inner] = s.x[place * c.inner];
  s.places[i * c.inner] = place;
  if (i + 1 < c.k) renew_top(s, blocks, place >> blocks.bits, best);
}

void top_k(const TopK& c, Range rows, void* scratch) noexcept {
  const KeyBlocks blocks(c.length);
  const Index step = rows_at_once(c.length);
  Search searches[kMostAtOnce];
  for (Index r = rows.begin; r < rows.end; r += step) {
    const Index count = min_of(step, rows.end - r);
    for (Index i = 0; i < count; ++i) {
      const Index outer = (r + i) / c.inner, inner = (r + i) % c.inner;
      const Index to = outer * c.k * c.inner + inner;
      std::int64_t* keys = static_cast<std::int64_t*>(scratch) + i * search_size(blocks);
      searches[i] = {c.x + outer * c.length * c.inner + inner, c.values + to, c.places + to, keys,
                     keys + blocks.all_keys()};
      begin(searches[i], c, blocks);
    }
    for (Index k = 0; k < c.k; ++k)
      for (Index i = 0; i < count; ++i) go_on(searches[i], c, blocks, k);
  }
}

}  // namespace
}  // namespace strata::kernels
