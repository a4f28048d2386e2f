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

typedef std::int64_t UnalignedVl __attribute__((vector_size(kVectorBytes), aligned(8), may_alias));

inline Vl load_keys(const std::int64_t* p) { return *reinterpret_cast<const UnalignedVl*>(p); }
inline void store_keys(std::int64_t* p, Vl v) { *reinterpret_cast<UnalignedVl*>(p) = v; }

constexpr Index kKeyBlock = 128;
constexpr std::int64_t kNoKey = INT64_MIN;  ///< below that of any element

inline Index key_blocks(Index n) { return ceil_div(n, kKeyBlock); }
/// Keys, in whole blocks, and the best of each block, in whole vectors.
inline Index keys_size(Index n) { return key_blocks(n) * kKeyBlock; }
inline Index tops_size(Index n) { return ceil_div(key_blocks(n), kWideLanes) * kWideLanes; }

std::size_t top_k_scratch(Index length) noexcept {
  return static_cast<std::size_t>(keys_size(length) + tops_size(length)) * sizeof(std::int64_t);
}

/// Integers in the order of the floats: zeros are equal, NaN is the greatest.
inline Vi ordered(Vf x) {
  const Vi b = bits(x + 0.0f);
  const Vi order = b ^ ((b >> 31) & INT32_MAX);
  return x != x ? broadcast(INT32_MAX) : order;
}

inline void write_keys(const TopK& c, const float* x, std::int64_t* keys) {
  const std::int32_t turned = c.extreme == Extreme::max ? 0 : -1;
  for (Index i = 0; i < c.length; i += kLanes) {
    const Index left = min_of(kLanes, c.length - i);
    Vf v{};
    if (c.inner == 1) {
      v = load_upto(x + i, left);
    } else {
      for (Index lane = 0; lane < left; ++lane) v[lane] = x[(i + lane) * c.inner];
    }
    const Vi order = ordered(v) ^ turned;
    for (Index lane = 0; lane < left; ++lane)
      keys[i + lane] =
          (static_cast<std::int64_t>(order[lane]) << 32) | (std::int64_t{UINT32_MAX} - (i + lane));
  }
  for (Index i = c.length; i < keys_size(c.length); ++i) keys[i] = kNoKey;
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

inline void top_k_row(const TopK& c, const float* x, float* values, std::int64_t* places,
                      std::int64_t* keys) {
  write_keys(c, x, keys);
  std::int64_t* tops = keys + keys_size(c.length);
  const Index blocks = key_blocks(c.length);
  for (Index b = 0; b < tops_size(c.length); ++b)
    tops[b] = b < blocks ? greatest_without(keys + b * kKeyBlock, kKeyBlock, kNoKey) : kNoKey;
  for (Index i = 0; i < c.k; ++i) {
    const std::int64_t best = greatest_top(tops, blocks);
    const std::int64_t place = std::int64_t{UINT32_MAX} - (best & UINT32_MAX);
    values[i * c.inner] = x[place * c.inner];
    places[i * c.inner] = place;
    const Index block = place / kKeyBlock;
    if (i + 1 < c.k) tops[block] = greatest_without(keys + block * kKeyBlock, kKeyBlock, best);
  }
}

void top_k(const TopK& c, Range rows, void* scratch) noexcept {
  auto* keys = static_cast<std::int64_t*>(scratch);
  for (Index r = rows.begin; r < rows.end; ++r) {
    const Index outer = r / c.inner, inner = r % c.inner;
    const Index to = outer * c.k * c.inner + inner;
    top_k_row(c, c.x + outer * c.length * c.inner + inner, c.values + to, c.places + to, keys);
  }
}

}  // namespace
}  // namespace strata::kernels
