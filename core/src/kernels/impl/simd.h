#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Vectors of the widest registers that this translation unit is compiled for.
///
/// The kernels are written once over `Vf` and compiled by one source for each instruction set.
/// Everything here and in the headers beside it has internal linkage, so that the linker can never
/// hand code made for one CPU to another. Arithmetic and comparisons are the compiler's own vector
/// operators; `mask ? a : b` selects by lane. Only what those cannot express is written in
/// intrinsics, with a portable form for other CPUs.
namespace strata::kernels {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
constexpr int kMaxTileRows = 14;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
constexpr int kMaxTileRows = 6;
#else
constexpr int kLanes = 4;
constexpr int kMaxTileRows = 6;
#endif
constexpr int kVectorBytes = kLanes * 4;

/// Whether code is built for size: that for x86 before AVX2, of which few CPUs are left.
#if defined(__x86_64__) && !defined(__AVX2__)
constexpr bool kForSize = true;
#else
constexpr bool kForSize = false;
#endif

typedef float Vf __attribute__((vector_size(kVectorBytes)));
typedef std::int32_t Vi __attribute__((vector_size(kVectorBytes)));
typedef std::uint32_t Vu __attribute__((vector_size(kVectorBytes)));
typedef float UnalignedVf __attribute__((vector_size(kVectorBytes), aligned(4), may_alias));

inline Vf load(const float* p) { return *reinterpret_cast<const UnalignedVf*>(p); }
inline void store(float* p, Vf v) { *reinterpret_cast<UnalignedVf*>(p) = v; }
/// Keeps a vector that several operations read in a register: otherwise the compiler may load it
/// anew for each of them.
inline void keep_in_register(Vf& v) {
#if defined(__AVX512F__)
  __asm__("" : "+v"(v));
#elif defined(__x86_64__)
  __asm__("" : "+x"(v));
#elif defined(__aarch64__)
  __asm__("" : "+w"(v));
#endif
}
inline Vf broadcast(float x) { return x - Vf{}; }  // unlike x + 0, the same bits for -0
inline Vi broadcast(std::int32_t x) { return Vi{} + x; }
inline Vi bits(Vf v) { return reinterpret_cast<Vi>(v); }
inline Vf from_bits(Vi v) { return reinterpret_cast<Vf>(v); }
inline Vf to_float(Vi v) { return __builtin_convertvector(v, Vf); }

/// Rounds toward zero; lanes outside the range of int32 are unspecified.
inline Vi to_int(Vf v) { return __builtin_convertvector(v, Vi); }

/// v[at] in each lane.
inline Vf permute(Vf v, Vi at) {
#if defined(__AVX512F__)
  return _mm512_permutexvar_ps(reinterpret_cast<__m512i>(at), v);
#elif defined(__AVX2__)
  return _mm256_permutevar8x32_ps(v, reinterpret_cast<__m256i>(at));
#else
  Vf out{};
  for (int i = 0; i < kLanes; ++i) out[i] = v[at[i]];
  return out;
#endif
}

inline Vi lane_numbers() {
  Vi v{};
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) v[i] = i;
  return v;
}

/// The first n lanes from memory, 0 < n < kLanes; the others are zero and are not read.
inline Vf load_first(const float* p, std::ptrdiff_t n) {
#if defined(__AVX512F__)
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
#elif defined(__AVX2__)
  const Vi mask = lane_numbers() < static_cast<std::int32_t>(n);
  return _mm256_maskload_ps(p, reinterpret_cast<__m256i>(mask));
#else
  Vf v{};
  for (int i = 0; i < n; ++i) v[i] = p[i];
  return v;
#endif
}

/// Writes the first n lanes, 0 < n < kLanes.
inline void store_first(float* p, Vf v, std::ptrdiff_t n) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), v);
#elif defined(__AVX2__)
  const Vi mask = lane_numbers() < static_cast<std::int32_t>(n);
  _mm256_maskstore_ps(p, reinterpret_cast<__m256i>(mask), v);
#else
  for (int i = 0; i < n; ++i) p[i] = v[i];
#endif
}

/// Like `load` and `store`, but for no more than the first `left` lanes, left > 0.
inline Vf load_upto(const float* p, std::ptrdiff_t left) {
  return left >= kLanes ? load(p) : load_first(p, left);
}
inline void store_upto(float* p, Vf v, std::ptrdiff_t left) {
  left >= kLanes ? store(p, v) : store_first(p, v, left);
}

/// Lanes a[0], a[2], a[4], … and b[1], b[3], ….
inline Vf even_lanes(Vf a, Vf b) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
#elif defined(__AVX2__)
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 9, 11, 13, 15);
#else
  return __builtin_shufflevector(a, b, 0, 2, 5, 7);
#endif
}

/// Lanes p[0], p[2], p[4], …; reads nothing past the last of them.
inline Vf load_even(const float* p) { return even_lanes(load(p), load(p + kLanes - 1)); }

/// The first n of them, n > 0, and anything.
inline Vf load_first_even(const float* p, std::ptrdiff_t n) {
  const bool is_one = 2 * n <= kLanes;
  const Vf first = load_first(p, is_one ? 2 * n - 1 : kLanes);
  return even_lanes(first, is_one ? first : load_first(p + kLanes - 1, 2 * n - kLanes));
}

/// a * b + c, fused where the CPU can.
inline Vf fma(Vf a, Vf b, Vf c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

/// sum += x * y, in the register of the sum: GCC would move the sums of unrolled steps between
/// registers.
inline void add_product(Vf& sum, Vf x, Vf y) {
#if defined(__FMA__) && !defined(__clang__)
  asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
#else
  sum = fma(x, y, sum);
#endif
}

/// sum += x * y, where x is read for this product alone. An AVX-512 instruction broadcasts it as it
/// multiplies; by itself, a broadcast of 512 bits takes some CPUs a third of its time.
inline void add_broadcast(Vf& sum, const float& x, Vf y) {
#if defined(__AVX512F__) && !defined(__clang__)
  asm("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(y), "m"(x));
#else
  add_product(sum, broadcast(x), y);
#endif
}

/// The larger of x and bound; x where either is NaN.
inline Vf at_least(Vf x, Vf bound) {
#if defined(__AVX512F__)
  return _mm512_max_ps(bound, x);
#elif defined(__AVX2__)
  return _mm256_max_ps(bound, x);
#elif defined(__x86_64__)
  return _mm_max_ps(bound, x);
#else
  return x < bound ? bound : x;
#endif
}

/// The smaller of x and bound; x where either is NaN.
inline Vf at_most(Vf x, Vf bound) {
#if defined(__AVX512F__)
  return _mm512_min_ps(bound, x);
#elif defined(__AVX2__)
  return _mm256_min_ps(bound, x);
#elif defined(__x86_64__)
  return _mm_min_ps(bound, x);
#else
  return x > bound ? bound : x;
#endif
}

/// NaN if either is.
inline Vf maximum(Vf a, Vf b) { return a != a ? a : at_least(b, a); }
inline Vf minimum(Vf a, Vf b) { return a != a ? a : at_most(b, a); }

inline Vf abs(Vf x) { return from_bits(bits(x) & 0x7fffffff); }

/// The magnitude of x with the sign bit of s.
inline Vf copy_sign(Vf x, Vf s) {
  constexpr std::int32_t sign = INT32_MIN;
  return from_bits((bits(x) & ~sign) | (bits(s) & sign));
}

inline Vf sqrt(Vf x) {
#if defined(__AVX512F__)
  return _mm512_sqrt_ps(x);
#elif defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__x86_64__)
  return _mm_sqrt_ps(x);
#else
  for (int i = 0; i < kLanes; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
#endif
}

/// Rounds toward zero; NaN, infinities and the sign of zero are kept.
inline Vf truncate(Vf x) {
#if defined(__AVX512F__)
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__)
  return _mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
  const Vf whole = copy_sign(to_float(to_int(x)), x);
  return abs(x) < 0x1p23f ? whole : x;
#endif
}

inline Vf floor(Vf x) {
#if defined(__AVX512F__)
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__)
  return _mm256_floor_ps(x);
#else
  const Vf t = truncate(x);
  return t > x ? t - 1.0f : t;
#endif
}

/// Rounds to the nearest whole number, halves to even.
inline Vf round(Vf x) {
#if defined(__AVX512F__)
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__)
  return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  const Vf big = copy_sign(broadcast(0x1p23f), x);
  return abs(x) < 0x1p23f ? copy_sign(x + big - big, x) : x;
#endif
}

inline Vf ceil(Vf x) {
#if defined(__AVX512F__)
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__)
  return _mm256_ceil_ps(x);
#else
  const Vf t = truncate(x);
  return copy_sign(t < x ? t + 1.0f : t, x);
#endif
}

/// Whether any lane of a comparison holds.
inline bool any(Vi mask) {
#if defined(__AVX512F__)
  const __m512i m = reinterpret_cast<__m512i>(mask);
  return _mm512_test_epi32_mask(m, m) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) != 0;
#elif defined(__x86_64__)
  return _mm_movemask_ps(reinterpret_cast<__m128>(mask)) != 0;
#else
  std::int32_t all = 0;
  for (int i = 0; i < kLanes; ++i) all |= mask[i];
  return all != 0;
#endif
}

}  // namespace
}  // namespace strata::kernels
