#pragma once

#include "kernels/impl/math.h"
#include "kernels/impl/wide.h"

/// Powers and remainders of floats, by way of double where float would lose what they need.
namespace strata::kernels {
namespace {

/// log2 of 2^exponent (1 + f), to 2^-33 of itself. The far terms are small enough for float.
inline Wide log2_wide(SplitLog s) {
  const Wide far = widen(polynomial(s.f, {0.206175359f, -0.180300587f, 0.158769805f, -0.143156617f,
                                          0.144748557f, -0.142838672f, 0.0773694879f}));
  const Wide f = widen(s.f), exponent = widen(s.exponent);
  const auto fraction = [](Vd v, Vd last, Vd whole) {
    const Vd square = v * v;
    const Vd even = fma(fma(last, square, broadcast(0.28853729350314372)), square,
                        broadcast(0.48089836139512476));
    const Vd odd =
        fma(fma(broadcast(-0.24045316614682724), square, broadcast(-0.36067367481853724)), square,
            broadcast(-0.72134752086880338));
    return fma(v, fma(fma(even, v, odd), v, broadcast(1.4426950408687058)), whole);
  };
  return {fraction(f.low, far.low, exponent.low), fraction(f.high, far.high, exponent.high)};
}

/// A number as a whole one and the rest, which fit a float.
struct WholeAndRest {
  Vf whole;
  Vf rest;
};

inline WholeAndRest nearest_whole(Wide x) {
#if defined(__AVX512F__)
  // Nothing is left of an infinite number.
  constexpr int to_nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  const Vf rest = narrow(each(x, [](Vd v) -> Vd { return _mm512_reduce_pd(v, to_nearest); }));
  return {round(narrow(x) - rest), rest};
#else
  constexpr double places = 0x1.8p52;
  x = each(x, [](Vd v) { return at_most(at_least(v, broadcast(-200.0)), broadcast(200.0)); });
  const Wide whole = each(x, [](Vd v) { return v + places - places; });
  return {narrow(whole), narrow({x.low - whole.low, x.high - whole.high})};
#endif
}

/// 2^x.
inline Vf exp2_of(Wide x) {
  const auto [whole, r] = nearest_whole(x);
  const Vf p = polynomial(r, {0.693147182f, 0.240226477f, 0.0555033237f, 0.00961843692f,
                              0.0013398875f, 0.000153533605f});
  return scaled(fma(r, p, broadcast(1.0f)), whole);
}

inline Vi is_whole(Vf x) { return truncate(x) == x; }
inline Vi is_odd(Vf x) { return is_whole(x) & ~is_whole(x * 0.5f); }

/// `y`, a power of |a|, as the power of a: odd powers keep the sign, and powers that are not whole
/// are defined on no finite number below 0.
inline Vf with_sign(Vf y, Vf a, Vf power) {
  const Vf negative = from_bits(bits(y) ^ (is_odd(power) & bits(a) & INT32_MIN));
  const Vi undefined = (a < 0.0f) & (a > -__builtin_inff()) & ~is_whole(power);
  return undefined ? broadcast(__builtin_nanf("")) : negative;
}

/// 2^exponent (1 + f) to the power b.
inline Vf power_of(SplitLog s, Vf b) {
  const Wide logs = log2_wide(s), powers = widen(b);
  return exp2_of({logs.low * powers.low, logs.high * powers.high});
}

/// a^b for any numbers.
[[gnu::noinline]] inline Vf pow_of_any(Vf a, Vf b) {
  const Vf x = abs(a), infinity = broadcast(__builtin_inff());
  SplitLog s = split_log(x);
  const Vf edge = x == 0.0f ? -infinity : s.exponent;  // makes the whole logarithm infinite
  s.exponent = x < infinity ? edge : x;                // NaN comes through it too
  const Vf most = broadcast(0x1.fffffep127f);
  const Vf power = at_most(at_least(b, -most), most);  // an infinite one would make 1^b NaN
  const Vf y = with_sign(power_of(s, power), a, power);
  return ((b == 0.0f) | (a == 1.0f)) ? broadcast(1.0f) : y;
}

/// a^b as C's pow has it; the largest error found is 1.31 ulp. Positive normal numbers to a finite
/// power need no more than the power itself.
inline Vf pow(Vf a, Vf b) {
  constexpr std::int32_t least = 0x00800000, infinity = 0x7f800000;
  const Vu from_least = reinterpret_cast<Vu>(bits(a)) - static_cast<std::uint32_t>(least);
  const Vi is_odd_one =
      reinterpret_cast<Vi>(from_least >= Vu{} + (infinity - least)) | ~(abs(b) < __builtin_inff());
  if (__builtin_expect(any(is_odd_one), 0)) return pow_of_any(a, b);
  return power_of(split_normal_log(a), b);
}

/// a - b trunc(a / b), exactly, as C's fmod has it: in double while the quotient leaves it room for
/// the product, else one by one.
inline Vf fmod(Vf a, Vf b) {
  constexpr double most = 0x1p28;
  const Wide x = widen(a), z = widen(b);
  constexpr double round = 0x1p52;
  const auto rest = [](Vd v, Vd w) {
    const Vd quotient = v / w;
    const Vd size = quotient < 0.0 ? -quotient : quotient;
    const Vd nearest = size + round - round;
    const Vd below = nearest > size ? nearest - 1.0 : nearest;
    const Vd left = v - (quotient < 0.0 ? -below : below) * w;
    // Where it does not serve: also quotients that are infinite or NaN.
    return size < most ? left : broadcast(__builtin_nan(""));
  };
  const Vf left = copy_sign(narrow({rest(x.low, z.low), rest(x.high, z.high)}), a);
  const Vi endless = (abs(b) == __builtin_inff()) & (abs(a) < __builtin_inff());
  const Vf y = endless ? a : left;
  const Vi wrong = (y != y) & (abs(a) < __builtin_inff()) & (b != 0.0f) & (b == b);
  return __builtin_expect(any(wrong), 0)
             ? repaired(
                   y, wrong, [](double v, double w) { return __builtin_fmod(v, w); }, a, b)
             : y;
}

}  // namespace
}  // namespace strata::kernels
