#pragma once

#include "kernels/impl/int8_words.h"
#include "kernels/impl/nearest.h"
#include "kernels/impl/wide.h"

/// From sums to numbers, and from numbers to bytes: halves are rounded to even.
namespace strata::kernels {
namespace {

typedef Vd UnalignedVd __attribute__((aligned(8), may_alias));
typedef std::int32_t HalfVi __attribute__((vector_size(kVectorBytes / 2)));

/// Halves are rounded to even; x fits an int, or is NaN, of which the lowest byte is 0.
inline HalfVi rounded(Vd x) {
#if defined(__AVX512F__)
  return reinterpret_cast<HalfVi>(_mm512_cvtpd_epi32(x));
#elif defined(__AVX2__)
  return reinterpret_cast<HalfVi>(_mm256_cvtpd_epi32(x));
#else
  HalfVi out;
  for (int i = 0; i < kWideLanes; ++i)
    out[i] = static_cast<std::int32_t>(__builtin_nearbyint(x[i]));
  return out;
#endif
}

struct HalfVectors {
  HalfVi first, second;
};

inline HalfVectors halves_of(Vi x) {
#if defined(__AVX512F__)
  const auto bits = reinterpret_cast<__m512i>(x);
  return {reinterpret_cast<HalfVi>(_mm512_castsi512_si256(bits)),
          reinterpret_cast<HalfVi>(_mm512_extracti64x4_epi64(bits, 1))};
#elif defined(__AVX2__)
  const auto bits = reinterpret_cast<__m256i>(x);
  return {reinterpret_cast<HalfVi>(_mm256_castsi256_si128(bits)),
          reinterpret_cast<HalfVi>(_mm256_extracti128_si256(bits, 1))};
#else
  return __builtin_bit_cast(HalfVectors, x);
#endif
}

inline Vi joined(const HalfVectors& x) {
#if defined(__AVX512F__)
  const __m512i low = _mm512_castsi256_si512(reinterpret_cast<__m256i>(x.first));
  return reinterpret_cast<Vi>(_mm512_inserti64x4(low, reinterpret_cast<__m256i>(x.second), 1));
#elif defined(__AVX2__)
  return reinterpret_cast<Vi>(
      _mm256_set_m128i(reinterpret_cast<__m128i>(x.second), reinterpret_cast<__m128i>(x.first)));
#else
  return __builtin_bit_cast(Vi, x);
#endif
}

inline Vd to_double(HalfVi x) {
#if defined(__AVX512F__)
  return _mm512_cvtepi32_pd(reinterpret_cast<__m256i>(x));
#elif defined(__AVX2__)
  return _mm256_cvtepi32_pd(reinterpret_cast<__m128i>(x));
#else
  return __builtin_convertvector(x, Vd);
#endif
}

/// The numbers of a and then of b, all of which fit an int. The sum with 1.5 * 2^52 has no bits for
/// fractions, and the whole number in its lower word.
inline Vi rounded(Vd a, Vd b) {
#if defined(__AVX2__) && !defined(__AVX512F__)
  return joined({rounded(a), rounded(b)});
#else
  const Vi x = reinterpret_cast<Vi>(a + 0x1.8p52), y = reinterpret_cast<Vi>(b + 0x1.8p52);
#if defined(__AVX512F__)
  return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#else
  return __builtin_shufflevector(x, y, 0, 2, 4, 6);
#endif
#endif
}

/// Writes the lowest byte of each number.
inline void store_bytes(std::uint8_t* y, Vi x) {
#if defined(__AVX512F__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y),
                   _mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(x)));
#elif defined(__AVX2__)
  const __m256i order =
      _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i parts = _mm256_shuffle_epi8(reinterpret_cast<__m256i>(x), order);
  const std::int32_t bytes[2] = {_mm256_extract_epi32(parts, 0), _mm256_extract_epi32(parts, 4)};
  __builtin_memcpy(y, bytes, sizeof bytes);
#else
  for (int i = 0; i < kLanes; ++i) y[i] = static_cast<std::uint8_t>(x[i]);
#endif
}

}  // namespace
}  // namespace strata::kernels
