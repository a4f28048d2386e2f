#pragma once

#include "kernels/impl/simd.h"

/// Vector math: exponentials and logarithms. NaN gives NaN, and overflow, underflow, infinities and
/// subnormals come out as in libm.
///
/// Largest errors found against a double reference, in ulp: exp 1.03, log 0.80, log1p 2.36,
/// expm1 of negative numbers 0.85, tanh 1.28, erf 1.15, sigmoid 2.26; hence silu 3.2. gelu is within
/// 4e-7 (1 + |gelu|), but its far negative tail, below 1e-6, is lost to cancellation.
namespace strata::kernels {
namespace {

/// c[n-1] x^(n-1) + … + c[1] x + c[0].
template <int N>
inline Vf polynomial(Vf x, const float (&c)[N]) {
  Vf sum = broadcast(c[N - 1]);
#pragma GCC unroll 16
  for (int i = N - 2; i >= 0; --i) sum = fma(sum, x, broadcast(c[i]));
  return sum;
}

/// 2^n for n in [-126, 127].
inline Vf power_of_two(Vi n) { return from_bits((n + 127) << 23); }

constexpr float kLog2E = 1.44269504f;
constexpr float kLn2High = 0.693359375f;  // few bits, so that n * high is exact
constexpr float kLn2Low = -2.12194440e-4f;

/// y * 2^n for whole n in [-252, 254], rounded once even where the result is subnormal.
inline Vf scaled(Vf y, Vf n) {
#if defined(__AVX512F__)
  return _mm512_scalef_ps(y, n);
#else
  const Vi power = to_int(n);
  const Vi half = power >> 1;
  return y * power_of_two(half) * power_of_two(power - half);
#endif
}

/// e^x = 2^n e^r, r = x - n ln 2 in [-ln2/2, ln2/2].
struct SplitExponent {
  Vf n;
  Vf r;
};
inline SplitExponent split_exponent(Vf x) {
  constexpr float round = 0x1.8p23f;
  const Vf n = fma(x, broadcast(kLog2E), broadcast(round)) - round;
  const Vf r = fma(n, broadcast(-kLn2High), x);
  return {n, fma(n, broadcast(-kLn2Low), r)};
}

/// e^x 2^shift.
template <int shift = 0>
inline Vf exp(Vf x) {
  const auto [n, r] = split_exponent(at_most(at_least(x, broadcast(-110.0f)), broadcast(100.0f)));
  const Vf p =
      polynomial(r, {0.50000001f, 0.166665187f, 0.0416662055f, 0.00836890299f, 0.00139505124f});
  return scaled(fma(r * r, p, r) + 1.0f, shift == 0 ? n : n + static_cast<float>(shift));
}

/// e^x - 1 for x <= 0: 2^n (e^r - 1) + (2^n - 1), exact to the last bits near 0.
inline Vf expm1_below(Vf x) {
  const auto [n, r] = split_exponent(at_least(x, broadcast(-80.0f)));
  const Vf p = polynomial(
      r, {0.5f, 0.166666657f, 0.0416663624f, 0.00833338965f, 0.00139406172f, 0.000198458758f});
  const Vf power = power_of_two(to_int(n));
  return fma(power, fma(r * r, p, r), power - 1.0f);
}

/// x = 2^exponent (1 + f), with 1 + f in [sqrt 1/2, sqrt 2).
struct SplitLog {
  Vf exponent;
  Vf f;
};

/// Of x > 0; subnormal numbers too.
inline SplitLog split_log(Vf x) {
  const Vi subnormal = x < 0x1p-126f;
  const Vf big = subnormal ? x * 0x1p24f : x;
  constexpr std::uint32_t root_half = 0x3f3504f3;
  const Vi shifted = reinterpret_cast<Vi>(reinterpret_cast<Vu>(big) - root_half);  // may wrap
  const Vi exponent = (shifted >> 23) + (subnormal & -24);
  const Vf f = from_bits((shifted & 0x007fffff) + std::int32_t{root_half}) - 1.0f;
  return {to_float(exponent), f};
}

/// exponent ln 2 + log(1 + f).
inline Vf joined_log(SplitLog s) {
  const Vf f = s.f;
  const Vf p =
      polynomial(f, {0.333333126f, -0.250000096f, 0.200021187f, -0.166679957f, 0.142195509f,
                     -0.124055914f, 0.118881746f, -0.116756413f, 0.0674660133f});
  const Vf f2 = f * f;
  const Vf low = fma(s.exponent, broadcast(kLn2Low), fma(f2 * f, p, f2 * -0.5f));
  return fma(s.exponent, broadcast(kLn2High), low + f);
}

/// `y`, a logarithm of x, where x is positive and finite; elsewhere what a logarithm is there.
inline Vf fixed_log(Vf y, Vf x) {
  const Vf infinity = broadcast(__builtin_inff());
  const Vf finite = x < infinity ? y : x;  // +inf and NaN return themselves
  const Vf zero = x == 0.0f ? -infinity : finite;
  return x < 0.0f ? broadcast(__builtin_nanf("")) : zero;
}

inline Vf log(Vf x) { return fixed_log(joined_log(split_log(x)), x); }

/// log(1 + x); where 1 + x is near 1 the rest is x itself, whatever the sum lost.
inline Vf log1p(Vf x) {
  const Vf sum = x + 1.0f;
  SplitLog s = split_log(sum);
  s.f = s.exponent == 0.0f ? x : s.f;
  return fixed_log(joined_log(s), sum);
}

/// Odd polynomial near zero, 1 - 2 / (e^2|x| + 1) beyond.
inline Vf tanh(Vf x) {
  const Vf z = x * x;
  const Vf p = polynomial(z, {-0.333333309f, 0.133332098f, -0.0539472043f, 0.0217029671f,
                              -0.00818267386f, 0.00214753687f});
  const Vf small = fma(x * z, p, x);
  const Vf large = 1.0f - 2.0f / (exp(abs(x) * 2.0f) + 1.0f);
  const Vf y = copy_sign(abs(x) < 0.625f ? small : large, x);
  return x != x ? x : y;
}

/// 1 / (1 + e^-x), through e^-|x| so that the far negative side does not flush to zero early.
inline Vf sigmoid(Vf x) {
  const Vf e = exp(-abs(x));
  return (x < 0.0f ? e : broadcast(1.0f)) / (e + 1.0f);
}

/// Odd polynomial near zero, 1 - e^(-|x| q(|x|)) beyond.
inline Vf erf(Vf x) {
  const Vf z = x * x;
  const Vf p = polynomial(z, {0.128379166f, -0.376126323f, 0.112836725f, -0.0268581043f,
                              0.00519779717f, -0.000810596512f, 8.21542371e-05f});
  const Vf small = fma(x, p, x);
  const Vf a = at_most(abs(x), broadcast(4.0f));
  const Vf q = polynomial(a, {1.12864097f, 0.63518149f, 0.106187626f, -0.0237201998f,
                              0.00362292566f, -0.000318061473f, 1.07633604e-05f});
  const Vf large = copy_sign(1.0f - exp(-a * q), x);
  const Vf y = abs(x) < 0.95f ? small : large;
  return x != x ? x : y;
}

}  // namespace
}  // namespace strata::kernels
