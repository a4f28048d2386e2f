#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// Functions of doubles without calls or branches, for loops that compilers turn into vector code.
/// They lie within 2 units in the last place of what the C library gives.
namespace strata {

/// Added to a number of less than 2^51, it leaves the nearest whole one, in the lowest bits.
inline constexpr double kToWhole = 0x1.8p52;

inline double nearest_whole(double x) { return (x + kToWhole) - kToWhole; }

/// 2^n, n whole, -1022 <= n <= 1023.
inline double power_of_two(double n) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(n + (kToWhole + 1023)) << 52);
}

/// x = exponent * ln 2 + rest, |rest| <= ln 2 / 2; |x| < 1100.
struct ReducedExponent {
  double exponent;  ///< whole
  double rest;

  explicit ReducedExponent(double x) {
    constexpr double kLog2E = 0x1.71547652b82fep0;
    constexpr double kLn2High = 0x1.62e42feep-1;  // a product with 11 bits is exact
    constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
    exponent = nearest_whole(x * kLog2E);
    rest = (x - exponent * kLn2High) - exponent * kLn2Low;
  }
};

/// e^x - 1 by its series, |x| <= ln 2 / 2: the first term left out is below 2^-57 of the sum.
inline double exp_minus_one_near_0(double x) {
  double sum = 1.0 / 6227020800;
  sum = sum * x + 1.0 / 479001600;
  sum = sum * x + 1.0 / 39916800;
  sum = sum * x + 1.0 / 3628800;
  sum = sum * x + 1.0 / 362880;
  sum = sum * x + 1.0 / 40320;
  sum = sum * x + 1.0 / 5040;
  sum = sum * x + 1.0 / 720;
  sum = sum * x + 1.0 / 120;
  sum = sum * x + 1.0 / 24;
  sum = sum * x + 1.0 / 6;
  sum = sum * x + 0.5;
  return x + x * x * sum;
}

/// The power of two goes in by halves: one alone would leave the range before the result does.
inline double fast_exp(double x) {
  x = x < -750 ? -750 : x;
  x = x > 710 ? 710 : x;
  const ReducedExponent by(x);
  const double half = nearest_whole(by.exponent / 2);
  return (1 + exp_minus_one_near_0(by.rest)) * power_of_two(half) *
         power_of_two(by.exponent - half);
}

/// (e^2|x| - 1) / (e^2|x| + 1) with the sign of x; 1 to the last place from 20 on.
inline double fast_tanh(double x) {
  double twice = 2 * std::fabs(x);
  twice = twice > 40 ? 40 : twice;
  const ReducedExponent by(twice);
  const double scale = power_of_two(by.exponent);
  const double above_1 = scale * exp_minus_one_near_0(by.rest) + (scale - 1);
  return std::copysign(above_1 / (above_1 + 2), x);
}

inline double fast_sigmoid(double x) { return 1 / (1 + fast_exp(-x)); }

/// The nearest whole number, halves to even, with the sign of x: what is added leaves no room for
/// a fraction.
inline double fast_round(double x) {
  constexpr double kWhole = 0x1p52;  // from here on all are
  const double size = std::fabs(x);
  return size < kWhole ? std::copysign((size + kWhole) - kWhole, x) : x;
}
inline double fast_floor(double x) {
  const double near = fast_round(x);
  return near > x ? near - 1 : near;
}
inline double fast_ceil(double x) {
  const double near = fast_round(x);
  return std::copysign(near < x ? near + 1 : near, x);
}

}  // namespace strata
