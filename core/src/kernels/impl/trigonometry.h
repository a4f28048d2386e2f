#pragma once

#include "kernels/impl/math.h"
#include "kernels/impl/wide.h"

/// Trigonometric functions and their inverses, circular and hyperbolic.
///
/// Largest errors found against a double reference, in ulp: sin 2.04, cos 2.10, tan 2.65,
/// asin 2.27, acos 1.09, atan 1.55, sinh 1.55, cosh 1.42, asinh 2.57, acosh 2.57, atanh 2.95.
namespace strata::kernels {
namespace {

/// x = (whole + offset) * step + rest.
struct Turns {
  Vi whole;
  Vf rest;
};

constexpr double kInversePi = 0x1.45f306dc9c883p-2;
/// Beyond this, arguments have `rest` left to libm: too little of it would be exact.
constexpr float kMostTurned = 0x1p17f;

/// By steps of pi, or of a half of it. The parts of pi add up to more bits than any float's
/// distance from a multiple of it needs; each product is exact, by fma or in double.
template <int half_steps>
inline Turns turns_of(Vf x, float offset) {
  constexpr double step = half_steps == 1 ? 0.5 : 1.0;
  constexpr double inverse = kInversePi / step;
#if defined(__FMA__)
  constexpr float first = static_cast<float>(0x1.921fb6p+1 * step);
  constexpr float second = static_cast<float>(-0x1.777a5cp-24 * step);
  constexpr float third = static_cast<float>(-0x1.ee59dap-49 * step);
  constexpr float round = 0x1.8p23f;
  const Vf turns = fma(x, broadcast(static_cast<float>(inverse)), broadcast(-offset));
  const Vf n = turns + round - round;
  const Vf exact = -(n + offset);
  Vf rest = fma(exact, broadcast(first), x);
  rest = fma(exact, broadcast(second), rest);
  return {to_int(n), fma(exact, broadcast(third), rest)};
#else
  constexpr double first = 0x1.921fb544p+1 * step, second = 0x1.0b4611a626331p-33 * step;
  constexpr double round = 0x1.8p52;
  const Wide wide = widen(x);
  const double wide_offset = static_cast<double>(offset);
  const Wide n = each(wide, [=](Vd v) { return v * inverse - wide_offset + round - round; });
  const auto rest = [=](Vd v, Vd turns) {
    const Vd exact = turns + wide_offset;
    return v - exact * first - exact * second;
  };
  return {to_int(narrow(n)), narrow({rest(wide.low, n.low), rest(wide.high, n.high)})};
#endif
}

/// sin(rest) with the sign turned where `whole` is odd; rest in [-pi/2, pi/2].
inline Vf sine_of(const Turns& t) {
  const Vf z = t.rest * t.rest;
  const Vf p = polynomial(
      z, {-0.166666672f, 0.00833333097f, -0.000198408685f, 2.75253842e-06f, -2.38889069e-08f});
  return from_bits(bits(fma(t.rest * z, p, t.rest)) ^ (t.whole << 31));
}

/// `y` with arguments too large for `turns_of` computed one by one.
template <class F>
inline Vf with_large(Vf y, Vf x, F f) {
  const Vi large = abs(x) > kMostTurned;  // NaN is not
  return __builtin_expect(any(large), 0) ? repaired(y, large, f, x) : y;
}

inline Vf sin(Vf x) {
  const Vf y = sine_of(turns_of<2>(x, 0));
  return with_large(x == 0.0f ? x : y, x, [](double v) { return __builtin_sin(v); });
}

/// -sin(x - pi/2), whole turns counted from there.
inline Vf cos(Vf x) {
  const Vf y = -sine_of(turns_of<2>(x, 0.5f));
  return with_large(y, x, [](double v) { return __builtin_cos(v); });
}

/// tan(rest) after an even number of quarters of a turn, -1 / tan(rest) after an odd one.
inline Vf tan(Vf x) {
  const Turns t = turns_of<1>(x, 0);
  const Vf z = t.rest * t.rest;
  const Vf p = polynomial(z, {0.333331555f, 0.133387998f, 0.0534112118f, 0.0244303793f,
                              0.00311953342f, 0.00938562956f});
  const Vf tangent = fma(t.rest * z, p, t.rest);
  const Vf y = (t.whole & 1) != 0 ? -1.0f / tangent : tangent;
  return with_large(x == 0.0f ? x : y, x, [](double v) { return __builtin_tan(v); });
}

constexpr float kHalfPiHigh = 0x1.921fb6p+0f;
constexpr float kHalfPiLow = -0x1.777a5cp-25f;

/// What asin and acos share: of a = |x|, asin(a) itself up to 1/2, and beyond that asin(root) with
/// root = sqrt((1 - a) / 2), by which asin(a) = pi/2 - 2 asin(root).
struct SplitArc {
  Vi beyond;
  Vf arc;
};
inline SplitArc split_arc(Vf a) {
  const Vi beyond = a > 0.5f;
  const Vf z = beyond ? 0.5f - a * 0.5f : a * a;
  const Vf s = beyond ? sqrt(z) : a;
  const Vf p =
      polynomial(z, {0.166667521f, 0.0749529749f, 0.0454703756f, 0.0241795275f, 0.0421662852f});
  return {beyond, fma(s * z, p, s)};
}

inline Vf asin(Vf x) {
  const auto [beyond, arc] = split_arc(abs(x));
  const Vf far = kHalfPiHigh - (arc * 2.0f - kHalfPiLow);
  return copy_sign(beyond ? far : arc, x);
}

inline Vf acos(Vf x) {
  const auto [beyond, arc] = split_arc(abs(x));
  const Vf near = kHalfPiHigh - (copy_sign(arc, x) - kHalfPiLow);
  const Vf twice = arc * 2.0f;
  const Vf far = x < 0.0f ? 2 * kHalfPiHigh - (twice - 2 * kHalfPiLow) : twice;
  return beyond ? far : near;
}

/// Odd polynomial up to 1; beyond, pi/2 - atan(1 / x).
inline Vf atan(Vf x) {
  const Vf a = abs(x);
  const Vi beyond = a > 1.0f;
  const Vf u = beyond ? 1.0f / a : a;
  const Vf z = u * u;
  const Vf p = polynomial(z, {-0.333331525f, 0.199937731f, -0.142110527f, 0.106659934f,
                              -0.0755218938f, 0.0432115644f, -0.0163677447f, 0.00292064622f});
  const Vf arc = fma(u * z, p, u);
  return copy_sign(beyond ? kHalfPiHigh - (arc - kHalfPiLow) : arc, x);
}

/// Odd polynomial up to 1; beyond, (e^|x| - e^-|x|) / 2.
inline Vf sinh(Vf x) {
  const Vf a = abs(x);
  const Vf z = a * a;
  const Vf near =
      fma(a * z, polynomial(z, {0.166666672f, 0.0083333496f, 0.000198361595f, 2.81695134e-06f}), a);
  const Vf half = exp<-1>(a);
  return copy_sign(a < 1.0f ? near : half - 0.25f / half, x);
}

inline Vf cosh(Vf x) {
  const Vf half = exp<-1>(abs(x));
  return half + 0.25f / half;
}

constexpr float kSquareable = 0x1p28f;  ///< from here on 1 is lost beside a square
constexpr float kLn2 = 0.693147181f;

/// log(a + sqrt(a^2 + 1)), with a = |x|.
inline Vf asinh(Vf x) {
  const Vf a = abs(x);
  const Vi large = a > kSquareable;
  const Vf square = a * a;
  const Vf y = log1p(large ? a : a + square / (sqrt(square + 1.0f) + 1.0f));
  return copy_sign(large ? y + kLn2 : y, x);
}

/// log(x + sqrt(x^2 - 1)), by way of x - 1.
inline Vf acosh(Vf x) {
  const Vi large = x > kSquareable;
  const Vf t = x < 1.0f ? broadcast(__builtin_nanf("")) : x - 1.0f;
  const Vf y = log1p(large ? t : t + sqrt(t * (t + 2.0f)));
  return large ? y + kLn2 : y;
}

/// log((1 + a) / (1 - a)) / 2, with a = |x|.
inline Vf atanh(Vf x) {
  const Vf a = abs(x);
  return copy_sign(log1p(a * 2.0f / (1.0f - a)) * 0.5f, x);
}

}  // namespace
}  // namespace strata::kernels
