#pragma once

#include <utility>

#include "kernels/impl/simd.h"

/// Lanes of double, for what float is too coarse for: half as many to a vector.
namespace strata::kernels {
namespace {

constexpr int kWideLanes = kLanes / 2;

typedef double Vd __attribute__((vector_size(kVectorBytes)));
typedef std::int64_t Vl __attribute__((vector_size(kVectorBytes)));
typedef std::int64_t UnalignedVl __attribute__((vector_size(kVectorBytes), aligned(8), may_alias));
typedef float HalfVf __attribute__((vector_size(kVectorBytes / 2)));

/// The lanes of one Vf.
struct Wide {
  Vd low;
  Vd high;
};

inline Vd broadcast(double x) { return x - Vd{}; }

#if defined(__AVX512F__)
inline Wide widen(Vf v) {
  return {_mm512_cvtps_pd(_mm512_castps512_ps256(v)),
          _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1))};
}
/// Rounds to nearest.
inline Vf narrow(Wide w) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(w.low)), _mm512_cvtpd_ps(w.high),
                            1);
}
#else
template <int... Lanes>
inline Wide widen(Vf v, std::integer_sequence<int, Lanes...>) {
  const HalfVf low = __builtin_shufflevector(v, v, Lanes...);
  const HalfVf high = __builtin_shufflevector(v, v, (Lanes + kWideLanes)...);
#if defined(__AVX2__)
  return {_mm256_cvtps_pd(low), _mm256_cvtps_pd(high)};
#else
  return {__builtin_convertvector(low, Vd), __builtin_convertvector(high, Vd)};
#endif
}
inline Wide widen(Vf v) { return widen(v, std::make_integer_sequence<int, kWideLanes>{}); }

template <int... Lanes>
inline Vf narrow(Wide w, std::integer_sequence<int, Lanes...>) {
  return __builtin_shufflevector(__builtin_convertvector(w.low, HalfVf),
                                 __builtin_convertvector(w.high, HalfVf), Lanes...);
}
/// Rounds to nearest.
inline Vf narrow(Wide w) { return narrow(w, std::make_integer_sequence<int, kLanes>{}); }
#endif

inline Wide operator+(Wide a, Wide b) { return {a.low + b.low, a.high + b.high}; }
inline Wide operator*(Wide a, Wide b) { return {a.low * b.low, a.high * b.high}; }

template <int... Lanes>
inline void store_words(std::int64_t* y, Vi below, Vi above, std::integer_sequence<int, Lanes...>) {
  const Vi low = __builtin_shufflevector(below, above, (Lanes / 2 + Lanes % 2 * kLanes)...);
  const Vi high =
      __builtin_shufflevector(below, above, (kWideLanes + Lanes / 2 + Lanes % 2 * kLanes)...);
  *reinterpret_cast<UnalignedVl*>(y) = reinterpret_cast<Vl>(low);
  *reinterpret_cast<UnalignedVl*>(y + kWideLanes) = reinterpret_cast<Vl>(high);
}
/// Writes an integer of 64 bits for each lane, of the words `below` and `above`.
inline void store_words(std::int64_t* y, Vi below, Vi above) {
  store_words(y, below, above, std::make_integer_sequence<int, kLanes>{});
}

/// f of each half.
template <class F>
inline Wide each(Wide w, F f) {
  return {f(w.low), f(w.high)};
}

/// a * b + c, fused where the CPU can.
inline Vd fma(Vd a, Vd b, Vd c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

/// The smaller of x and bound, and the larger; NaN stays NaN in x, and bound is not NaN.
inline Vd at_most(Vd x, Vd bound) {
#if defined(__AVX512F__)
  return _mm512_min_pd(bound, x);
#elif defined(__AVX2__)
  return _mm256_min_pd(bound, x);
#else
  return x > bound ? bound : x;
#endif
}
inline Vd at_least(Vd x, Vd bound) {
#if defined(__AVX512F__)
  return _mm512_max_pd(bound, x);
#elif defined(__AVX2__)
  return _mm256_max_pd(bound, x);
#else
  return x < bound ? bound : x;
#endif
}

/// c[n-1] x^(n-1) + … + c[1] x + c[0], n odd: the even and the odd powers side by side, for a long
/// chain of products would take more time than all of them.
template <int N>
inline Vd polynomial(Vd x, const double (&c)[N]) {
  static_assert(N % 2 == 1);
  const Vd square = x * x;
  Vd even = broadcast(c[N - 1]), odd = broadcast(c[N - 2]);
#pragma GCC unroll 16
  for (int i = N - 3; i >= 0; i -= 2) {
    even = fma(even, square, broadcast(c[i]));
    if (i > 0) odd = fma(odd, square, broadcast(c[i - 1]));
  }
  return fma(odd, x, even);
}

/// The sum of the lanes.
inline double sum_lanes(Wide w) {
  const Vd v = w.low + w.high;
  double sum = 0;
#pragma GCC unroll 8
  for (int i = 0; i < kWideLanes; ++i) sum += v[i];
  return sum;
}

/// `y` where `wrong` is 0, elsewhere f(x) in double: for the few arguments that vectors do not
/// serve.
template <class F, class... Args>
[[gnu::noinline, gnu::cold]] inline Vf repaired(Vf y, Vi wrong, F f, Args... x) {
  for (int i = 0; i < kLanes; ++i) {
    if (wrong[i]) y[i] = static_cast<float>(f(static_cast<double>(x[i])...));
  }
  return y;
}

}  // namespace
}  // namespace strata::kernels
