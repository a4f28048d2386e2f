#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/table.h"
#include "strata/core/cpu.h"

/// What the kernel tests share: noise, scratch, comparison with a double reference.
namespace strata::kernels::testing {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Runs `test(table)` for each instruction set that this CPU has.
template <class Test>
void for_each_isa(Test test) {
  for (const Isa isa : supported_isas()) test(kernels(isa));
}

inline std::size_t size(Index n) { return static_cast<std::size_t>(n); }

/// n repeatable values in [-1, 1).
inline std::vector<float> noise(Index n, std::uint32_t seed = 1) {
  std::vector<float> v(size(n));
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) * 0x1p-23f - 1.0f;
  }
  return v;
}

/// A block of scratch of exactly the bytes a kernel asked for.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes)
      : data_(std::aligned_alloc(64, (bytes + 63) / 64 * 64), std::free) {}
  void* get() const { return data_.get(); }

 private:
  std::unique_ptr<void, decltype(&std::free)> data_;
};

/// The largest |got - expected| / (1 + |expected|); infinite if one is NaN and the other is not.
inline double largest_error(const std::vector<float>& got, const std::vector<double>& expected) {
  double worst = got.size() == expected.size() ? 0 : kInf;
  for (std::size_t i = 0; i < got.size() && i < expected.size(); ++i) {
    const double g = static_cast<double>(got[i]);
    if (std::isnan(g) && std::isnan(expected[i])) continue;
    if (g == expected[i]) continue;
    const double error = std::abs(g - expected[i]) / (1 + std::abs(expected[i]));
    worst = std::isnan(error) ? static_cast<double>(kInf) : std::fmax(worst, error);
  }
  return worst;
}

inline double softplus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::abs(x))); }

inline double apply_trigonometric(Unary op, double x) {
  switch (op) {
    case Unary::sin:
      return std::sin(x);
    case Unary::cos:
      return std::cos(x);
    case Unary::tan:
      return std::tan(x);
    case Unary::asin:
      return std::asin(x);
    case Unary::acos:
      return std::acos(x);
    case Unary::atan:
      return std::atan(x);
    case Unary::sinh:
      return std::sinh(x);
    case Unary::cosh:
      return std::cosh(x);
    case Unary::asinh:
      return std::asinh(x);
    case Unary::acosh:
      return std::acosh(x);
    default:
      return std::atanh(x);
  }
}

/// A format of floats: how many bits of a number count, the exponent of the least unit, and the
/// least number that is infinite.
struct FloatFormat {
  int bits;
  int least;
  double infinite;
};

/// To the nearest number of the format, halves to the even one.
inline double rounded(double x, const FloatFormat& format) {
  if (std::isnan(x) || std::isinf(x) || x == 0) return x;
  if (std::abs(x) >= format.infinite) return std::copysign(HUGE_VAL, x);
  int exponent = 0;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - format.bits, format.least);
  return std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
}

inline double apply_rarer(Unary op, double x, double alpha, double beta) {
  constexpr double root_of_2_over_pi = 0.79788456080286535588;
  switch (op) {
    case Unary::round:
      return std::nearbyint(x);
    case Unary::sign:
      return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0;
    case Unary::softsign:
      return x / (1 + std::abs(x));
    case Unary::shrink:
      return x < -alpha ? x + beta : x > alpha ? x - beta : 0;
    case Unary::thresholded_relu:
      return x > alpha ? x : 0;
    case Unary::elu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case Unary::celu:
      return x > 0 ? x : alpha * std::expm1(x / alpha);
    case Unary::selu:
      return beta * (x <= 0 ? alpha * std::expm1(x) : x);
    case Unary::to_f16:
      return rounded(std::clamp(x, alpha, beta), {.bits = 11, .least = -24, .infinite = 65520});
    case Unary::to_bf16:
      return rounded(std::clamp(x, alpha, beta),
                     {.bits = 8, .least = -133, .infinite = 0x1.ffp127});
    case Unary::swish:
      return x / (1 + std::exp(-alpha * x));
    case Unary::softplus:
      return std::isnan(x) ? x : softplus(x);
    case Unary::mish:
      return x * std::tanh(softplus(x));
    case Unary::gelu_tanh:
      return x / (1 + std::exp(-2 * root_of_2_over_pi * (x + 0.044715 * x * x * x)));
    default:
      return apply_trigonometric(op, x);
  }
}

/// The reference of the scalar functions.
inline double apply(const UnaryFunction& f, double x) {
  const double alpha = static_cast<double>(f.alpha);
  const double beta = static_cast<double>(f.beta);
  const auto clip = [](double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
  };
  switch (f.op) {
    case Unary::identity:
      return x;
    case Unary::abs:
      return std::abs(x);
    case Unary::neg:
      return -x;
    case Unary::floor:
      return std::floor(x);
    case Unary::ceil:
      return std::ceil(x);
    case Unary::sqrt:
      return std::sqrt(x);
    case Unary::relu:
      return x < 0 ? 0 : x;
    case Unary::clip:
      return clip(x, alpha, beta);
    case Unary::leaky_relu:
      return x < 0 ? alpha * x : x;
    case Unary::hard_sigmoid:
      return clip(alpha * x + beta, 0, 1);
    case Unary::hard_swish:
      return x * clip(x / 6 + 0.5, 0, 1);
    case Unary::exp:
      return std::exp(x);
    case Unary::log:
      return std::log(x);
    case Unary::tanh:
      return std::tanh(x);
    case Unary::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Unary::silu:
      return x / (1 + std::exp(-x));
    case Unary::erf:
      return std::erf(x);
    case Unary::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    default:
      return apply_rarer(f.op, x, alpha, beta);
  }
}

}  // namespace strata::kernels::testing
