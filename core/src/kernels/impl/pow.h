#pragma once

#include "kernels/impl/math.h"
#include "kernels/impl/wide.h"

/// Powers and remainders of floats, by way of double where float would lose what they need.
namespace strata::kernels {
namespace {

/// log2 of x > 0, to 2^-35 of itself; of 0 and infinity, infinities.
inline Wide log2_wide(Vf x) {
  const SplitLog s = split_log(x);
  const Vf infinity = broadcast(__builtin_inff());
  // An infinite exponent makes the sum infinite; NaN comes through it too.
  const Vf edge = x == 0.0f ? -infinity : s.exponent;
  const Wide exponent = widen(x < infinity ? edge : x);
  const Wide f = widen(s.f);
  const auto fraction = [](Vd v, Vd whole) {
    const Vd p = polynomial(
        v, {1.4426950408687058, -0.72134752086880338, 0.48089836139512476, -0.36067367481853724,
            0.28853729350314372, -0.24045316614682724, 0.20617535864843511, -0.1803005874517003,
            0.15876980450268302, -0.14315661693311954, 0.14474855721155405, -0.14283867223934615,
            0.077369487926424341});
    return fma(v, p, whole);
  };
  return {fraction(f.low, exponent.low), fraction(f.high, exponent.high)};
}

/// 2^x: the whole part and the rest are split in double, and both then fit a float.
inline Vf exp2_of(Wide x) {
  constexpr double round = 0x1.8p52;
  const Wide inside =
      each(x, [](Vd v) { return at_most(at_least(v, broadcast(-200.0)), broadcast(200.0)); });
  const Wide whole = each(inside, [](Vd v) { return v + round - round; });
  const Vf r = narrow({inside.low - whole.low, inside.high - whole.high});
  const Vf p = polynomial(r, {0.693147182f, 0.240226477f, 0.0555033237f, 0.00961843692f,
                              0.0013398875f, 0.000153533605f});
  return scaled(fma(r, p, broadcast(1.0f)), narrow(whole));
}

inline Vi is_whole(Vf x) { return truncate(x) == x; }
inline Vi is_odd(Vf x) { return is_whole(x) & ~is_whole(x * 0.5f); }

/// `y`, a power of |a|, as the power of a: odd powers keep the sign, and powers that are not whole are
/// defined on no finite number below 0.
inline Vf with_sign(Vf y, Vf a, Vf power) {
  const Vf negative = from_bits(bits(y) ^ (is_odd(power) & bits(a) & INT32_MIN));
  const Vi undefined = (a < 0.0f) & (a > -__builtin_inff()) & ~is_whole(power);
  return undefined ? broadcast(__builtin_nanf("")) : negative;
}

/// a^b as C's pow has it; the largest error found is 1.31 ulp.
inline Vf pow(Vf a, Vf b) {
  const Vf most = broadcast(0x1.fffffep127f);
  const Vf power = at_most(at_least(b, -most), most);  // an infinite one would make 1^b NaN
  const Wide logs = log2_wide(abs(a));
  const Wide powers = widen(power);
  Vf y = exp2_of({logs.low * powers.low, logs.high * powers.high});
  if (any(bits(a) < 0)) y = with_sign(y, a, power);
  return (b == 0.0f) | (a == 1.0f) ? broadcast(1.0f) : y;
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
