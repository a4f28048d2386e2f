#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/impl/index.h"
#include "kernels/impl/wide.h"
#include "kernels/types.h"

/// Conversions between f32 and the narrow floats, and from f32 to integers and back.
namespace strata::kernels {
namespace {

typedef std::uint8_t Bytes __attribute__((vector_size(kLanes)));
typedef std::int8_t SignedBytes __attribute__((vector_size(kLanes)));
typedef std::uint16_t Halves __attribute__((vector_size(kLanes * 2)));

/// A vector of narrow elements, of which only the first `left` are there.
template <class V, class T>
inline V load_narrow(const T* p, Index left) {
  V v{};
  if (left >= kLanes)
    std::memcpy(&v, p, sizeof v);
  else
    std::memcpy(&v, p, static_cast<std::size_t>(left) * sizeof(T));
  return v;
}
template <class V, class T>
inline void store_narrow(T* p, const V& v, Index left) {
  if (left >= kLanes)
    std::memcpy(p, &v, sizeof v);
  else
    std::memcpy(p, &v, static_cast<std::size_t>(left) * sizeof(T));
}

// The compilers convert vectors of bytes lane by lane.

inline Vi to_lanes(Bytes b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vi>(_mm512_cvtepu8_epi32(reinterpret_cast<__m128i>(b)));
#elif defined(__AVX2__)
  const __m128i low = _mm_cvtsi64_si128(__builtin_bit_cast(long long, b));
  return reinterpret_cast<Vi>(_mm256_cvtepu8_epi32(low));
#elif defined(__x86_64__)
  const __m128i low = _mm_cvtsi32_si128(__builtin_bit_cast(int, b)), zero = _mm_setzero_si128();
  return reinterpret_cast<Vi>(_mm_unpacklo_epi16(_mm_unpacklo_epi8(low, zero), zero));
#else
  return __builtin_convertvector(b, Vi);
#endif
}
inline Vi to_lanes(SignedBytes b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vi>(_mm512_cvtepi8_epi32(reinterpret_cast<__m128i>(b)));
#elif defined(__AVX2__)
  const __m128i low = _mm_cvtsi64_si128(__builtin_bit_cast(long long, b));
  return reinterpret_cast<Vi>(_mm256_cvtepi8_epi32(low));
#elif defined(__x86_64__)
  return (to_lanes(__builtin_bit_cast(Bytes, b)) << 24) >> 24;
#else
  return __builtin_convertvector(b, Vi);
#endif
}

/// Lanes of whole vectors in memory, which GCC would take by way of the stack.
inline Vi lanes_at(const std::uint8_t* p) {
#if defined(__AVX2__) && !defined(__AVX512F__)
  return reinterpret_cast<Vi>(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
  return to_lanes(load_narrow<Bytes>(p, kLanes));
#endif
}
inline Vi lanes_at(const std::int8_t* p) {
#if defined(__AVX2__) && !defined(__AVX512F__)
  return reinterpret_cast<Vi>(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
  return to_lanes(load_narrow<SignedBytes>(p, kLanes));
#endif
}

/// The low bits of each lane; V is Bytes or SignedBytes.
template <class V>
inline V to_bytes(Vi v) {
#if defined(__AVX512F__)
  return reinterpret_cast<V>(_mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(v)));
#elif defined(__AVX2__)
  const __m256i lowest =
      _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i four = _mm256_shuffle_epi8(reinterpret_cast<__m256i>(v), lowest);
  const __m128i all =
      _mm_unpacklo_epi32(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  return __builtin_bit_cast(V, _mm_cvtsi128_si64(all));
#elif defined(__x86_64__)
  const __m128i low = reinterpret_cast<__m128i>(v & 0xff), words = _mm_packs_epi32(low, low);
  return __builtin_bit_cast(V, _mm_cvtsi128_si32(_mm_packus_epi16(words, words)));
#else
  return __builtin_convertvector(v, V);
#endif
}

/// f16 as a float.
inline Vf from_f16(Halves h) {
#if defined(__AVX512F__)
  return _mm512_cvtph_ps(reinterpret_cast<__m256i>(h));
#elif defined(__F16C__)
  return _mm256_cvtph_ps(reinterpret_cast<__m128i>(h));
#else
  const Vi wide = __builtin_convertvector(h, Vi);
  const Vi magnitude = (wide & 0x7fff) << 13;
  const Vi subnormal = bits(__builtin_convertvector(wide & 0x3ff, Vf) * 0x1p-24f);
  const Vi finite = magnitude < 0x00800000 ? subnormal : magnitude + (112 << 23);
  const Vi special = magnitude | 0x7f800000;
  return from_bits((magnitude >= 0x0f800000 ? special : finite) | ((wide & 0x8000) << 16));
#endif
}

/// To nearest, halves to even.
inline Halves to_f16(Vf x) {
#if defined(__AVX512F__)
  return reinterpret_cast<Halves>(_mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
  return reinterpret_cast<Halves>(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#else
  const Vi b = bits(abs(x));
  const Vi normal = (b - (112 << 23) + 0x0fff + ((b >> 13) & 1)) >> 13;
  const Vi subnormal = bits(abs(x) + 0.5f) - bits(broadcast(0.5f));  // by units of 2^-24
  const Vi finite = b < 0x38800000 ? subnormal : normal;
  const Vi infinite = b >= 0x477ff000 ? broadcast(0x7c00) : finite;
  const Vi nan = 0x7e00 | ((b >> 13) & 0x3ff);
  const Vi magnitude = b > 0x7f800000 ? nan : infinite;
  return __builtin_convertvector(magnitude | ((bits(x) >> 16) & 0x8000), Halves);
#endif
}

inline Vf from_bf16(Halves h) { return from_bits(__builtin_convertvector(h, Vi) << 16); }

/// To nearest, halves to even; NaN keeps its upper bits and is quiet.
inline Halves to_bf16(Vf x) {
  const Vu b = reinterpret_cast<Vu>(bits(x));
  const Vu rounded = (b + 0x7fff + ((b >> 16) & 1)) >> 16;
  const Vu kept = x != x ? (b >> 16) | 0x40 : rounded;
  return __builtin_convertvector(kept & 0xffff, Halves);
}

template <class Widen>
inline void widen_by(Widen widen, const std::uint16_t* x, float* y, Index n) {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, widen(load_narrow<Halves>(x + i, kLanes)));
  if (i < n) store_first(y + i, widen(load_narrow<Halves>(x + i, n - i)), n - i);
}

void widen_floats(NarrowFloat from, const std::uint16_t* x, float* y, Index n) noexcept {
  if (from == NarrowFloat::f16)
    widen_by([](Halves h) { return from_f16(h); }, x, y, n);
  else
    widen_by([](Halves h) { return from_bf16(h); }, x, y, n);
}

template <class Narrow>
inline void narrow_by(Narrow narrow, const float* x, std::uint16_t* y, Index n) {
  Index i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    store_narrow(y + i, narrow(load(x + i)), kLanes);
    store_narrow(y + i + kLanes, narrow(load(x + i + kLanes)), kLanes);
  }
  for (; i < n; i += kLanes) store_narrow(y + i, narrow(load_upto(x + i, n - i)), n - i);
}

void narrow_floats(NarrowFloat to, const float* x, std::uint16_t* y, Index n) noexcept {
  if (to == NarrowFloat::f16)
    narrow_by([](Vf v) { return to_f16(v); }, x, y, n);
  else
    narrow_by([](Vf v) { return to_bf16(v); }, x, y, n);
}

/// Truncated toward 0; beyond the ends of the type they, and 0 for NaN.
inline Vi to_i32(Vf x) {
  const Vi whole = to_int(x);
  const Vi above = x >= 0x1p31f ? broadcast(INT32_MAX) : whole;
  const Vi below = x <= -0x1p31f ? broadcast(INT32_MIN) : above;
  return x != x ? Vi{} : below;
}

inline Vi to_small(Vf x, float least, float greatest) {
  const Vf inside = at_most(at_least(x, broadcast(least)), broadcast(greatest));
  return x != x ? Vi{} : to_int(inside);
}

inline std::int64_t to_i64(float x) {
  if (x != x) return 0;
  if (x >= 0x1p63f) return INT64_MAX;
  return x <= -0x1p63f ? INT64_MIN : static_cast<std::int64_t>(x);
}

#if !defined(__AVX512DQ__)
/// Writes ints as wider ones.
inline void store_wide(std::int64_t* y, Vi v) {
#if defined(__AVX2__)
  const __m256i all = reinterpret_cast<__m256i>(v);
  const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(all));
  const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(all, 1));
#else
  const Vi sign = v >> 31;
  const Vi low = __builtin_shufflevector(v, sign, 0, 4, 1, 5);
  const Vi high = __builtin_shufflevector(v, sign, 2, 6, 3, 7);
#endif
  std::memcpy(y, &low, sizeof low);
  std::memcpy(y + kLanes / 2, &high, sizeof high);
}
#endif

inline void truncate_to_i64(const float* x, std::int64_t* y, Index n) {
  Index i = 0;
#if !defined(__AVX512DQ__)
  for (; i + kLanes <= n; i += kLanes) {
    const Vf v = load(x + i);
    if (any(bits(abs(v)) >= bits(broadcast(0x1p31f))))  // or NaN
      for (Index k = i; k < i + kLanes; ++k) y[k] = to_i64(x[k]);
    else
      store_wide(y + i, to_int(v));
  }
#else
  for (; i + kWideLanes <= n; i += kWideLanes) {
    const __m256 v = _mm256_loadu_ps(x + i);
    __m512i whole = _mm512_cvttps_epi64(v);  // INT64_MIN beyond its range
    const __mmask8 above = _mm256_cmp_ps_mask(v, _mm256_set1_ps(0x1p63f), _CMP_GE_OQ);
    whole = _mm512_mask_mov_epi64(whole, above, _mm512_set1_epi64(INT64_MAX));
    whole = _mm512_maskz_mov_epi64(_mm256_cmp_ps_mask(v, v, _CMP_ORD_Q), whole);
    _mm512_storeu_si512(y + i, whole);
  }
#endif
  for (; i < n; ++i) y[i] = to_i64(x[i]);
}

#if defined(__x86_64__) && !defined(__AVX512F__)
/// x as an int that packing takes to what `to_small` makes of it: what is below all ints, or NaN,
/// is the least of them to the CPU.
template <class Byte>
inline Vi to_packed(Vf x) {
  constexpr bool is_signed = std::is_signed_v<Byte>;
  if constexpr (is_signed) x = x == x ? x : Vf{};
  const Vf v = at_most(x, broadcast(is_signed ? 127.0f : 255.0f));
#if defined(__AVX2__)
  return reinterpret_cast<Vi>(_mm256_cvttps_epi32(v));
#else
  return reinterpret_cast<Vi>(_mm_cvttps_epi32(v));
#endif
}

/// Four vectors as bytes.
template <class Byte>
inline void truncate_four(const float* x, Byte* y) {
  constexpr bool is_signed = std::is_signed_v<Byte>;
  const auto ints = [=](int k) { return to_packed<Byte>(load(x + k * kLanes)); };
#if defined(__AVX2__)
  const auto words = [&](int k) {
    return _mm256_packs_epi32(reinterpret_cast<__m256i>(ints(k)),
                              reinterpret_cast<__m256i>(ints(k + 1)));
  };
  const __m256i bytes =
      is_signed ? _mm256_packs_epi16(words(0), words(2)) : _mm256_packus_epi16(words(0), words(2));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // each half packs by itself
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm256_permutevar8x32_epi32(bytes, order));
#else
  const auto words = [&](int k) {
    return _mm_packs_epi32(reinterpret_cast<__m128i>(ints(k)),
                           reinterpret_cast<__m128i>(ints(k + 1)));
  };
  const __m128i bytes =
      is_signed ? _mm_packs_epi16(words(0), words(2)) : _mm_packus_epi16(words(0), words(2));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), bytes);
#endif
}
#endif

/// Truncates as many numbers as are packed at once, and returns how many these are.
template <class Byte>
inline Index truncate_fours([[maybe_unused]] const float* x, [[maybe_unused]] Byte* y,
                            [[maybe_unused]] Index n) {
  Index i = 0;
#if defined(__x86_64__) && !defined(__AVX512F__)
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) truncate_four(x + i, y + i);
#endif
  return i;
}

void truncate_floats(IntegerType to, const float* x, void* y, Index n) noexcept {
  if (to == IntegerType::i64) return truncate_to_i64(x, static_cast<std::int64_t*>(y), n);
  Index i = 0;
  if (to == IntegerType::u8) i = truncate_fours(x, static_cast<std::uint8_t*>(y), n);
  if (to == IntegerType::i8) i = truncate_fours(x, static_cast<std::int8_t*>(y), n);
  for (; i < n; i += kLanes) {
    const Index left = n - i;
    const Vf v = load_upto(x + i, left);
    if (to == IntegerType::i32)
      store_narrow(static_cast<std::int32_t*>(y) + i, to_i32(v), left);
    else if (to == IntegerType::u8)
      store_narrow(static_cast<std::uint8_t*>(y) + i, to_bytes<Bytes>(to_small(v, 0, 255)), left);
    else
      store_narrow(static_cast<std::int8_t*>(y) + i, to_bytes<SignedBytes>(to_small(v, -128, 127)),
                   left);
  }
}

}  // namespace
}  // namespace strata::kernels
