#pragma once

#include "kernels/impl/convert.h"
#include "kernels/impl/math.h"
#include "kernels/impl/trigonometry.h"
#include "kernels/types.h"

namespace strata::kernels {
namespace {

/// y[i] = f(x[i]), by whole vectors and one partial one.
template <class F>
inline void map(const float* x, float* y, Index n, F f) {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, f(load(x + i)));
  if (i < n) store_first(y + i, f(load_first(x + i, n - i)), n - i);
}

/// As `map`, with f once in the code: for long functions, whose numbers are put in registers before
/// a loop that is known to begin.
template <class F>
inline void map_long(const float* x, float* y, Index n, F f) {
  if (n <= 0) return;
  Index i = 0;
  do {
    store_upto(y + i, f(load_upto(x + i, n - i)), n - i);
    i += kLanes;
  } while (i < n);
}

/// As `map_long`, with `near` for four vectors of which nothing `is_far`: asked of each, this would
/// take a fifth of the time.
template <class Near, class Anywhere>
inline void map_near(const float* x, float* y, Index n, [[maybe_unused]] Near near,
                     Anywhere anywhere) {
  Index i = 0;
#if !defined(__AVX512F__)
  constexpr int together = 4;
  constexpr Index step = together * kLanes;
  for (; i + step <= n; i += step) {
    Vf v[together];
    Vi largest{};
#pragma GCC unroll 4
    for (int k = 0; k < together; ++k) {
      v[k] = load(x + i + k * kLanes);
      const Vi size = bits(abs(v[k]));
      largest = largest > size ? largest : size;
    }
    if (__builtin_expect(is_far(from_bits(largest)), 0)) {
      map_long(x + i, y + i, step, anywhere);
      continue;
    }
#pragma GCC unroll 4
    for (int k = 0; k < together; ++k) store(y + i + k * kLanes, near(v[k]));
  }
#endif
  map_long(x + i, y + i, n - i, anywhere);
}

inline Vf clip(Vf x, float low, float high) {
  return at_most(at_least(x, broadcast(low)), broadcast(high));
}

inline bool is_clip(Unary op) { return op == Unary::relu || op == Unary::clip; }

struct ClipRange {
  float low;
  float high;
};

/// The range that an activation clips to: all of float if it does something else.
inline ClipRange clip_range(const UnaryFunction& f) {
  const float infinity = __builtin_inff();
  if (f.op == Unary::clip) return {f.alpha, f.beta};
  return {f.op == Unary::relu ? 0 : -infinity, infinity};
}

/// x * tanh(log(1 + e^x)): with n = e^x (e^x + 2) the tanh is n / (n + 2).
inline Vf mish(Vf x) {
  const Vf e = exp(at_most(x, broadcast(40.0f)));  // beyond, x itself
  const Vf n = e * (e + 2.0f);
  return x * (n / (n + 2.0f));
}

/// (1 + tanh u) / 2 is sigmoid(2 u).
inline Vf gelu_tanh(Vf x) {
  constexpr float twice_root = 1.59576912f;  // 2 sqrt(2 / pi)
  return x * sigmoid(x * fma(x * x, broadcast(0.044715f * twice_root), broadcast(twice_root)));
}

/// max(x, 0) + log(1 + e^-|x|), as log1p has it; NaN comes through the first of them.
inline Vf softplus(Vf x) {
  const Vf e = exp(-abs(x));
  SplitLog s = split_normal_log(e + 1.0f);
  s.f = s.exponent == 0.0f ? e : s.f;
  return at_least(x, Vf{}) + joined_log(s);
}

inline Vf sign(Vf x) {
  const Vf one = broadcast(1.0f);
  const Vf below = x < 0.0f ? -one : Vf{};
  return x != x ? x : x > 0.0f ? one : below;
}

inline bool is_exponential(Unary op) {
  return (op >= Unary::exp && op <= Unary::gelu) ||
         (op >= Unary::softplus && op <= Unary::gelu_tanh);
}

// Apart from each other, so that what one needs does not slow each call of the rest.

[[gnu::noinline]] void unary_exponential(Unary op, const float* x, float* y, Index n) {
  switch (op) {
    case Unary::exp:
      return map_near(
          x, y, n, [](Vf v) { return exp_near(v); }, [](Vf v) { return exp_anywhere(v); });
    case Unary::log:
      return map_long(x, y, n, [](Vf v) { return log(v); });
    case Unary::tanh:
      return map_long(x, y, n, [](Vf v) { return tanh(v); });
    case Unary::sigmoid:
      return map_near(
          x, y, n, [](Vf v) { return sigmoid_near(v); }, [](Vf v) { return sigmoid_anywhere(v); });
    case Unary::silu:
      return map_near(
          x, y, n, [](Vf v) { return v * sigmoid_near(v); },
          [](Vf v) { return v * sigmoid_anywhere(v); });
    case Unary::erf:
      return map_long(x, y, n, [](Vf v) { return erf(v); });
    case Unary::gelu:
      return map_long(x, y, n, [](Vf v) { return v * 0.5f * (erf(v * 0.707106781f) + 1.0f); });
    case Unary::gelu_tanh:
      return map_long(x, y, n, [](Vf v) { return gelu_tanh(v); });
    case Unary::mish:
      return map_long(x, y, n, [](Vf v) { return mish(v); });
    default:
      return map_long(x, y, n, [](Vf v) { return softplus(v); });
  }
}

/// Functions of angles and areas are many and rare: compiled for size, they take a tenth longer.
[[gnu::noinline, gnu::cold]] void unary_trigonometric(Unary op, const float* x, float* y, Index n) {
  switch (op) {
    case Unary::sin:
      return map_long(x, y, n, [](Vf v) { return sin(v); });
    case Unary::cos:
      return map_long(x, y, n, [](Vf v) { return cos(v); });
    case Unary::tan:
      return map_long(x, y, n, [](Vf v) { return tan(v); });
    case Unary::asin:
      return map_long(x, y, n, [](Vf v) { return asin(v); });
    case Unary::acos:
      return map_long(x, y, n, [](Vf v) { return acos(v); });
    case Unary::atan:
      return map_long(x, y, n, [](Vf v) { return atan(v); });
    case Unary::sinh:
      return map_long(x, y, n, [](Vf v) { return sinh(v); });
    case Unary::cosh:
      return map_long(x, y, n, [](Vf v) { return cosh(v); });
    case Unary::asinh:
      return map_long(x, y, n, [](Vf v) { return asinh(v); });
    case Unary::acosh:
      return map_long(x, y, n, [](Vf v) { return acosh(v); });
    default:
      return map_long(x, y, n, [](Vf v) { return atanh(v); });
  }
}

/// Those with alpha or beta.
[[gnu::noinline]] void unary_with_parameters(const UnaryFunction& f, const float* x, float* y,
                                             Index n) {
  const float alpha = f.alpha, beta = f.beta;
  switch (f.op) {
    case Unary::clip:
      return map(x, y, n, [=](Vf v) { return clip(v, alpha, beta); });
    case Unary::to_f16:
      return map_long(x, y, n, [=](Vf v) { return from_f16(to_f16(clip(v, alpha, beta))); });
    case Unary::to_bf16:
      return map_long(x, y, n, [=](Vf v) { return from_bf16(to_bf16(clip(v, alpha, beta))); });
    case Unary::leaky_relu:
      return map(x, y, n, [=](Vf v) { return v < 0.0f ? v * alpha : v; });
    case Unary::hard_sigmoid:
      return map(x, y, n, [=](Vf v) { return clip(v * alpha + beta, 0, 1); });
    case Unary::shrink:
      return map(x, y, n, [=](Vf v) {
        const Vf above = v > alpha ? v - beta : Vf{};
        return v < -alpha ? v + beta : above;
      });
    case Unary::thresholded_relu:
      return map(x, y, n, [=](Vf v) { return v > alpha ? v : Vf{}; });
    case Unary::elu:
      return map_long(x, y, n, [=](Vf v) { return v < 0.0f ? expm1_below(v) * alpha : v; });
    case Unary::celu:
      return map_long(x, y, n, [=](Vf v) { return v > 0.0f ? v : expm1_below(v / alpha) * alpha; });
    case Unary::selu:
      return map_long(x, y, n,
                      [=](Vf v) { return (v <= 0.0f ? expm1_below(v) * alpha : v) * beta; });
    default:
      return map_long(x, y, n, [=](Vf v) { return v * sigmoid(v * alpha); });
  }
}

void unary(const UnaryFunction& function, const float* x, float* y, Index n) noexcept {
  const Unary op = function.op;
  switch (op) {
    case Unary::identity:
      return map(x, y, n, [](Vf v) { return v; });
    case Unary::abs:
      return map(x, y, n, [](Vf v) { return abs(v); });
    case Unary::neg:
      return map(x, y, n, [](Vf v) { return -v; });
    case Unary::floor:
      return map(x, y, n, [](Vf v) { return floor(v); });
    case Unary::ceil:
      return map(x, y, n, [](Vf v) { return ceil(v); });
    case Unary::round:
      return map(x, y, n, [](Vf v) { return round(v); });
    case Unary::sqrt:
      return map(x, y, n, [](Vf v) { return sqrt(v); });
    case Unary::relu:
      return map(x, y, n, [](Vf v) { return at_least(v, Vf{}); });
    case Unary::sign:
      return map(x, y, n, [](Vf v) { return sign(v); });
    case Unary::softsign:
      return map(x, y, n, [](Vf v) { return v / (abs(v) + 1.0f); });
    case Unary::hard_swish:
      return map(x, y, n, [](Vf v) { return v * clip(v * (1.0f / 6) + 0.5f, 0, 1); });
    default:
      if (op >= Unary::sin) return unary_trigonometric(op, x, y, n);
      if (is_exponential(op)) return unary_exponential(op, x, y, n);
      return unary_with_parameters(function, x, y, n);
  }
}

}  // namespace
}  // namespace strata::kernels
