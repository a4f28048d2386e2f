#pragma once

#include <utility>

#include "kernels/impl/index.h"

/// Panels of operands: lanes side by side, step by step, `panel[k * width + lane]`. What is packed
/// may lie anywhere: weights are packed from a file that does not align them.
namespace strata::kernels {
namespace {

typedef float Vf4 __attribute__((vector_size(16)));
typedef float UnalignedVf4 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float AnywhereVf __attribute__((vector_size(kVectorBytes), aligned(1), may_alias));

inline Vf4 load4(const float* p) { return *reinterpret_cast<const UnalignedVf4*>(p); }
inline Vf load_anywhere(const float* p) { return *reinterpret_cast<const AnywhereVf*>(p); }
inline float float_at(const float* p) {
  float x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
inline void store4(float* p, Vf4 v) { *reinterpret_cast<UnalignedVf4*>(p) = v; }

/// The parts of a vector, four lanes each, joined.
inline Vf join_parts(const Vf4 (&part)[kLanes / 4]) {
#if defined(__AVX512F__)
  typedef float Vf8 __attribute__((vector_size(32)));
  const Vf8 low = __builtin_shufflevector(part[0], part[1], 0, 1, 2, 3, 4, 5, 6, 7);
  const Vf8 high = __builtin_shufflevector(part[2], part[3], 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif defined(__AVX2__)
  return __builtin_shufflevector(part[0], part[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
  return part[0];
#endif
}

/// Of each part of four lanes: lanes `First` and `First + 1` of a and b, by turns.
template <int First, int... Lanes>
inline Vf by_turns(Vf a, Vf b, std::integer_sequence<int, Lanes...>) {
  return __builtin_shufflevector(a, b,
                                 (Lanes / 4 * 4 + First + Lanes % 4 / 2 + Lanes % 2 * kLanes)...);
}

/// Of each part of four lanes: lanes `First` and `First + 1` of a, then those of b.
template <int First, int... Lanes>
inline Vf by_pairs(Vf a, Vf b, std::integer_sequence<int, Lanes...>) {
  return __builtin_shufflevector(a, b,
                                 (Lanes / 4 * 4 + First + Lanes % 2 + Lanes % 4 / 2 * kLanes)...);
}

/// In each part of four lanes: lane i of vector k becomes lane k of vector i.
inline void turn_fours(Vf& x, Vf& y, Vf& z, Vf& w) {
  constexpr auto all = std::make_integer_sequence<int, kLanes>{};
  const Vf a = by_turns<0>(x, y, all), b = by_turns<0>(z, w, all);
  const Vf c = by_turns<2>(x, y, all), d = by_turns<2>(z, w, all);
  x = by_pairs<0>(a, b, all);
  y = by_pairs<2>(a, b, all);
  z = by_pairs<0>(c, d, all);
  w = by_pairs<2>(c, d, all);
}

/// out[t] = element k + t of each lane.
inline void transpose_lanes(const float* const (&lanes)[kLanes], Index k, Vf (&out)[4]) {
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) {
    Vf4 part[kLanes / 4];
#pragma GCC unroll 4
    for (int i = 0; i < kLanes / 4; ++i) part[i] = load4(lanes[4 * i + v] + k);
    out[v] = join_parts(part);
  }
  turn_fours(out[0], out[1], out[2], out[3]);
}

/// A block of lanes to pack: lane i, step j is `data[i * lane_stride + j * k_stride]`.
struct LaneBlock {
  const float* data;
  Index lane_stride;
  Index k_stride;
  Index lanes;
  Index k;
};

/// Packs lanes that are each contiguous in k: kLanes at a time, which are stored as whole vectors.
/// What the last lanes store beyond their step is written over by what comes after it.
inline void pack_transposed(const LaneBlock& s, Index width, float* out) {
  for (Index first = round_up(s.lanes, kLanes) - kLanes; first >= 0; first -= kLanes) {
    const Index used = min_of(s.lanes - first, kLanes);
    const float* lanes[kLanes];
    const float* lane = s.data + first * s.lane_stride;
#pragma GCC unroll 16
    for (Index i = 0; i < kLanes; ++i) {
      lanes[i] = lane;
      lane += i + 1 < used ? s.lane_stride : 0;
    }
    const Index last = s.k - 3 - ceil_div(first + kLanes, width);  // whole vectors fit in the panel
    Index k = 0;
    for (; k <= last; k += 4) {
      Vf v[4];
      transpose_lanes(lanes, k, v);
#pragma GCC unroll 4
      for (int t = 0; t < 4; ++t) store(out + (k + t) * width + first, v[t]);
    }
    for (; k < s.k; ++k) {
      for (Index i = 0; i < used; ++i) out[k * width + first + i] = float_at(lanes[i] + k);
    }
  }
}

/// Packs lanes that lie side by side.
inline void pack_rows(const LaneBlock& s, Index width, float* out) {
  const Index whole = s.lanes - s.lanes % kLanes;
  for (Index j = 0; j < s.k; ++j, out += width) {
    const float* p = s.data + j * s.k_stride;
    for (Index i = 0; i < whole; i += kLanes) store(out + i, load_anywhere(p + i));
    for (Index i = whole; i < s.lanes; ++i) out[i] = float_at(p + i);
  }
}

inline void pack_one_by_one(const LaneBlock& s, Index width, float* out) {
  for (Index j = 0; j < s.k; ++j) {
    for (Index i = 0; i < s.lanes; ++i) {
      out[j * width + i] = float_at(s.data + i * s.lane_stride + j * s.k_stride);
    }
  }
}

/// Packs one panel of s.lanes <= width lanes, s.k steps deep.
[[gnu::noinline]] inline void pack_panel(const LaneBlock& s, Index width, float* out) {
  if (s.lane_stride == 1) {
    pack_rows(s, width, out);
  } else if (s.k_stride == 1) {
    pack_transposed(s, width, out);
  } else {
    pack_one_by_one(s, width, out);
  }
  for (Index j = 0; j < s.k && s.lanes < width; ++j, out += width) {
    for (Index i = s.lanes; i < width; i += kLanes) store_upto(out + i, Vf{}, width - i);
  }
}

}  // namespace
}  // namespace strata::kernels
