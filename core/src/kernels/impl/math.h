#pragma once

#include "kernels/impl/simd.h"

/// Vector math: exponentials and logarithms. NaN gives NaN, and overflow, underflow, infinities and
/// subnormals come out as in libm.
///
/// Largest errors found against a double reference, in ulp: exp 1.02, log 0.80, log1p 2.36,
/// expm1 of negative numbers 0.85, tanh 4.8 (5.7 where products are not fused) but 3.6 below 1, erf
/// 3.4 (3.8), sigmoid 2.26; hence silu 3.2. gelu is within 4e-7 (1 + |gelu|), but its far negative
/// tail, below 1e-6, is lost to cancellation.
namespace strata::kernels {
namespace {

/// c[n-1] x^(n-1) + … + c[1] x + c[0], the even and the odd powers side by side: in one long chain,
/// each product would wait for the one before.
template <int N>
inline Vf polynomial(Vf x, const float (&c)[N]) {
  const Vf square = x * x;
  Vf last = broadcast(c[N - 1]), other = broadcast(c[N - 2]);
#pragma GCC unroll 16
  for (int i = N - 3; i >= 0; --i) {
    const Vf next = fma(last, square, broadcast(c[i]));
    last = other;
    other = next;
  }
  return fma(last, x, other);
}

constexpr float kLog2E = 1.44269504f;
constexpr float kLn2High = 0.693359375f;  // few bits, so that n * high is exact
constexpr float kLn2Low = -2.12194440e-4f;

/// 2^n for n in [-126, 127].
inline Vf power_of_two(Vi n) { return from_bits((n + 127) << 23); }

/// y * 2^n for whole n in [-252, 254], rounded once even where the result is subnormal. Where the
/// CPU scales by itself, n may be anything.
inline Vf scaled(Vf y, Vf n) {
#if defined(__AVX512F__)
  return _mm512_scalef_ps(y, n);
#else
  const Vi power = to_int(n);
  const Vi half = power >> 1;
  return y * power_of_two(half) * power_of_two(power - half);
#endif
}

/// A whole number and, where the CPU does not scale by itself, its last bits where floats have
/// their exponent.
struct Whole {
  Vf n;
#if !defined(__AVX512F__)
  Vu exponent;
#endif
};

/// The whole number nearest to a * b, where it fits 22 bits or the CPU rounds by itself.
inline Whole nearest_product(Vf a, Vf b) {
#if defined(__AVX512F__)
  return {round(a * b)};
#else
  // Numbers near it are as far from each other as whole ones are: a sum with it is rounded, and
  // ends in their bits.
  constexpr float whole_places = 0x1.8p23f;
  const Vf sum = fma(a, b, broadcast(whole_places));
  return {sum - whole_places, reinterpret_cast<Vu>(bits(sum)) << 23};
#endif
}

/// y 2^n, where both are normal numbers.
inline Vf scaled_within(Vf y, Whole n) {
#if defined(__AVX512F__)
  return scaled(y, n.n);
#else
  return from_bits(reinterpret_cast<Vi>(reinterpret_cast<Vu>(bits(y)) + n.exponent));
#endif
}

/// e^x = 2^whole.n e^r, r = x - whole.n ln 2 in [-ln2/2, ln2/2].
struct SplitExponent {
  Whole whole;
  Vf r;
};
inline SplitExponent split_exponent(Vf x) {
  const Whole whole = nearest_product(x, broadcast(kLog2E));
  const Vf r = fma(whole.n, broadcast(-kLn2High), x);
  return {whole, fma(whole.n, broadcast(-kLn2Low), r)};
}

#if defined(__AVX512F__)
/// x, or 1 with its sign where |x| is larger or x is NaN.
inline Vf within_one(Vf x) { return _mm512_range_ps(x, broadcast(1.0f), 2); }
#endif

/// The same for any x, with an n that serves `scaled`.
inline SplitExponent split_any_exponent(Vf x) {
#if defined(__AVX512F__)
  SplitExponent s = split_exponent(x);
  s.r = within_one(s.r);  // beyond the range of float, n says it all
  return s;
#else
  return split_exponent(at_most(at_least(x, broadcast(-110.0f)), broadcast(100.0f)));
#endif
}

/// e^r for r in [-ln2/2, ln2/2].
inline Vf exp_of_rest(Vf r) {
  const Vf p =
      polynomial(r, {0.50000001f, 0.166665187f, 0.0416662055f, 0.00836890299f, 0.00139505124f});
  return fma(r * r, p, r) + 1.0f;
}

/// e^x 2^shift for any x.
template <int shift = 0>
inline Vf exp_anywhere(Vf x) {
  const auto [whole, r] = split_any_exponent(x);
  return scaled(exp_of_rest(r), shift == 0 ? whole.n : whole.n + static_cast<float>(shift));
}

// Without a CPU that scales by itself, exponentials of numbers that are not `is_far` take half of
// the time, and most arguments are such numbers.
#if defined(__AVX512F__)
inline bool is_far(Vf) { return false; }
#else
constexpr float kFar = 86;

/// Whether e^x or e^-x may be beyond the normal numbers for some lane, or x is NaN.
inline bool is_far(Vf x) { return any(bits(abs(x)) > bits(broadcast(kFar))); }
#endif

/// e^x 2^shift, shift at least -1, where `is_far` says no.
template <int shift = 0>
inline Vf exp_near(Vf x) {
#if defined(__AVX512F__)
  return exp_anywhere<shift>(x);
#else
  const auto [whole, r] = split_exponent(x);
  const Vf y = scaled_within(exp_of_rest(r), whole);
  return shift == 0 ? y : from_bits(bits(y) + shift * (1 << 23));
#endif
}

template <int shift>
[[gnu::noinline, gnu::cold]] Vf exp_far(Vf x) {
  return exp_anywhere<shift>(x);
}

/// e^x 2^shift, shift at least -1.
template <int shift = 0>
inline Vf exp(Vf x) {
  return __builtin_expect(is_far(x), 0) ? exp_far<shift>(x) : exp_near<shift>(x);
}

/// e^x for x <= 0, as exact as `exp`, but, where the CPU does not scale by itself, 0 where that is
/// below 1.7e-38.
inline Vf exp_below(Vf x) {
#if defined(__AVX512F__)
  return exp_anywhere(x);
#else
  const Vf y = exp_near(x);
  return x >= -87.0f ? y : at_least(x, Vf{});  // NaN, too, is itself
#endif
}

/// e^x - 1 for x <= 0: 2^n (e^r - 1) + (2^n - 1), exact to the last bits near 0.
inline Vf expm1_below(Vf x) {
  const auto [whole, r] = split_exponent(at_least(x, broadcast(-80.0f)));
  const Vf p = polynomial(
      r, {0.5f, 0.166666657f, 0.0416663624f, 0.00833338965f, 0.00139406172f, 0.000198458758f});
  const Vf power = scaled_within(broadcast(1.0f), whole);
  return fma(power, fma(r * r, p, r), power - 1.0f);
}

/// x = 2^exponent (1 + f), with 1 + f in [sqrt 1/2, sqrt 2).
struct SplitLog {
  Vf exponent;
  Vf f;
};

/// Of a positive normal number.
inline SplitLog split_normal_log(Vf x) {
  constexpr std::uint32_t root_half = 0x3f3504f3;
  const Vi shifted = reinterpret_cast<Vi>(reinterpret_cast<Vu>(x) - root_half);  // may wrap
  const Vf f = from_bits((shifted & 0x007fffff) + std::int32_t{root_half}) - 1.0f;
  return {to_float(shifted >> 23), f};
}

/// Of x > 0; subnormal numbers too.
inline SplitLog split_log(Vf x) {
  const Vi subnormal = x < 0x1p-126f;
  SplitLog s = split_normal_log(subnormal ? x * 0x1p24f : x);
  s.exponent = subnormal ? s.exponent - 24.0f : s.exponent;
  return s;
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

/// x (1 + square P(square)) / Q(square), of a square of x.
template <int N, int M>
inline Vf odd_quotient(Vf x, Vf square, const float (&p)[N], const float (&q)[M]) {
  return fma(x * square, polynomial(square, p), x) / polynomial(square, q);
}

/// As `copy_sign`, of a magnitude that has no sign yet: without the step that takes it off, a
/// twelfth of tanh.
inline Vf with_sign(Vf magnitude, Vf x) {
  return from_bits(bits(magnitude) | (bits(x) & INT32_MIN));
}

/// Rounding may leave the quotient above 1 where tanh is near 1, and does not at the end, 1 to the
/// last bit.
inline Vf tanh(Vf x) {
  const Vf a = at_most(abs(x), broadcast(9.011f));
  const Vf y =
      odd_quotient(a, a * a, {0.133797184f, 0.00349403452f, 2.05834822e-05f, 1.33190747e-08f},
                   {1.0f, 0.467130333f, 0.0258710738f, 0.000328309281f, 7.76202e-07f});
  return with_sign(at_most(y, broadcast(1.0f)), x);
}

/// A quotient below 2, 1 less a polynomial beyond, whose last bits do not show.
inline Vf erf(Vf x) {
  constexpr float end = 3.92f;  // 1 to the last bit
  const Vf a = at_most(abs(x), broadcast(end));
  const Vf small =
      odd_quotient(a, a * a, {0.0909776092f, 0.0307905041f, -0.000247253658f, 2.22626586e-05f},
                   {0.886226892f, 0.376036197f, 0.0640073493f, 0.00462083193f});
  const Vf rest = end - a, square = rest * rest;
  const Vf p = polynomial(
      rest, {6.94688133e-05f, -0.00022526471f, 0.000359018246f, -0.000253576611f, 8.67257331e-05f});
  const Vf large = fma(-(square * square), p, broadcast(1.0f));
  return with_sign(a < 2.0f ? small : large, x);
}

/// 1 / (1 + e^-x), through e^-|x| so that the far negative side does not flush to zero early.
inline Vf sigmoid_anywhere(Vf x) {
  const Vf e = exp_anywhere(-abs(x));
  return (x < 0.0f ? e : broadcast(1.0f)) / (e + 1.0f);
}

/// The same where `is_far` says no.
inline Vf sigmoid_near(Vf x) {
#if defined(__AVX512F__)
  return sigmoid_anywhere(x);
#else
  return 1.0f / (exp_near(-x) + 1.0f);
#endif
}

[[gnu::noinline, gnu::cold]] Vf sigmoid_far(Vf x) { return sigmoid_anywhere(x); }

inline Vf sigmoid(Vf x) {
  return __builtin_expect(is_far(x), 0) ? sigmoid_far(x) : sigmoid_near(x);
}

}  // namespace
}  // namespace strata::kernels
