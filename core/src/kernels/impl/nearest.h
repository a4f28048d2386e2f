#pragma once

#include <cstring>

#include "kernels/impl/simd.h"

/// Whole numbers nearest to floats, and those as bytes.
namespace strata::kernels {
namespace {

/// Halves go to the even one; INT32_MIN for NaN and for what no int holds.
inline Vi nearest_int(Vf x) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vi>(_mm512_cvtps_epi32(x));
#elif defined(__AVX2__)
  return reinterpret_cast<Vi>(_mm256_cvtps_epi32(x));
#elif defined(__x86_64__)
  return reinterpret_cast<Vi>(_mm_cvtps_epi32(x));
#else
  const Vi whole = to_int(round(x));
  return abs(x) < 0x1p31f ? whole : broadcast(INT32_MIN);
#endif
}

/// How far each lane of some numbers lies, at most, from the ints nearest to them.
class Farthest {
 public:
  void add(Vf x, Vi nearest) {
#if defined(__AVX512DQ__)
    constexpr int kLargerMagnitude = 0b1011, kWholeToNearest = 0;
    static_cast<void>(nearest);
    far_ = _mm512_range_ps(far_, _mm512_reduce_ps(x, kWholeToNearest), kLargerMagnitude);
#else
    const Vi off = bits(abs(x - to_float(nearest)));
    far_ = far_ > off ? far_ : off;
#endif
  }
  /// Whether one lies further away than `most`. NaN and what no int holds may count as that.
  bool exceeds(Vf most) const {
#if defined(__AVX512DQ__)
    return _mm512_cmp_ps_mask(far_, most, _CMP_GT_OQ) != 0;
#else
    return any(far_ > bits(most));
#endif
  }

 private:
#if defined(__AVX512DQ__)
  Vf far_{};
#else
  Vi far_{};
#endif
};

/// What is added to whole numbers, and what they are then held to: numbers of u8 or, with a
/// negative `low`, of i8.
struct ByteEnds {
  std::int32_t zero, low, high;
};

typedef std::uint8_t ByteVector __attribute__((vector_size(kVectorBytes)));

/// Four vectors of numbers, in 16 bits which saturate, plus `zero`, as u8; in the order of the
/// lanes.
inline ByteVector packed_bytes(const Vi (&w)[4], std::int32_t zero) {
#if defined(__AVX512F__)
  const __m512i add = _mm512_set1_epi16(static_cast<std::int16_t>(zero));
  const auto pack = [&](Vi a, Vi b) {
    return _mm512_adds_epi16(
        _mm512_packs_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)), add);
  };
  const __m512i bytes = _mm512_packus_epi16(pack(w[0], w[1]), pack(w[2], w[3]));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return reinterpret_cast<ByteVector>(_mm512_permutexvar_epi32(order, bytes));
#elif defined(__AVX2__)
  const __m256i add = _mm256_set1_epi16(static_cast<std::int16_t>(zero));
  const auto pack = [&](Vi a, Vi b) {
    return _mm256_adds_epi16(
        _mm256_packs_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)), add);
  };
  const __m256i bytes = _mm256_packus_epi16(pack(w[0], w[1]), pack(w[2], w[3]));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return reinterpret_cast<ByteVector>(_mm256_permutevar8x32_epi32(bytes, order));
#elif defined(__x86_64__)
  const __m128i add = _mm_set1_epi16(static_cast<std::int16_t>(zero));
  const auto pack = [&](Vi a, Vi b) {
    return _mm_adds_epi16(
        _mm_packs_epi32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)), add);
  };
  return reinterpret_cast<ByteVector>(_mm_packus_epi16(pack(w[0], w[1]), pack(w[2], w[3])));
#else
  ByteVector out;
  for (int i = 0; i < 4 * kLanes; ++i) {
    const std::int64_t x = std::int64_t{w[i / kLanes][i % kLanes]} + zero;
    out[i] = static_cast<std::uint8_t>(x < 0 ? 0 : x > 255 ? 255 : x);
  }
  return out;
#endif
}

constexpr Index kByteGroup = 4 * kLanes;  ///< numbers that become bytes together

/// Writes the first n bytes, of as many as a vector has.
inline void store_first_bytes(std::uint8_t* p, ByteVector bytes, Index n) {
#if defined(__AVX512BW__)
  const __mmask64 first = ~std::uint64_t{0} >> (kByteGroup - n);
  _mm512_mask_storeu_epi8(p, first, reinterpret_cast<__m512i>(bytes));
#else
  std::memcpy(p, &bytes, static_cast<std::size_t>(n));
#endif
}

/// Writes the first n of four vectors of whole numbers as bytes; i8 are held to their ends as u8
/// 128 above them.
inline void store_bytes(std::uint8_t* p, const Vi (&w)[4], const ByteEnds& ends, Index n) {
  const std::int32_t moved = ends.low < 0 ? 128 : 0;
  const ByteVector low = ByteVector{} + static_cast<std::uint8_t>(ends.low + moved);
  const ByteVector high = ByteVector{} + static_cast<std::uint8_t>(ends.high + moved);
  ByteVector bytes = packed_bytes(w, ends.zero + moved);
  bytes = bytes > low ? bytes : low;
  bytes = (bytes < high ? bytes : high) ^ static_cast<std::uint8_t>(moved);
  if (n >= kByteGroup)
    std::memcpy(p, &bytes, sizeof bytes);
  else
    store_first_bytes(p, bytes, n);
}

/// How far from a whole number one may lie that is off by less than 1e-4.
constexpr float kMiddle = 0.4999f;

/// Writes n numbers as bytes, by groups of which the last may be smaller. `near(i)` gives the
/// vector of them that begins with number `i`, each so little off where it does not saturate that it
/// is rounded rightly unless it lies further than `middle` from a whole number; it is called for
/// whole groups. `write_exactly(i)` writes a group where that may be so. What `near` needs is best
/// captured by value: bytes that are written might be anything that lies in memory.
template <class Near, class WriteExactly>
inline void store_nearest(Index n, ByteEnds ends, std::uint8_t* y, Vf middle, const Near& near,
                          const WriteExactly& write_exactly) {
  for (Index i = 0; i < n; i += kByteGroup) {
    Vi whole[4];
    Farthest far;
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const Vf x = near(i + k * kLanes);
      whole[k] = nearest_int(x);
      far.add(x, whole[k]);
    }
    if (__builtin_expect(far.exceeds(middle), 0))
      write_exactly(i);
    else
      store_bytes(y + i, whole, ends, n - i);
  }
}

}  // namespace
}  // namespace strata::kernels
