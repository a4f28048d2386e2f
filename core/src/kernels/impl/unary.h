#pragma once

#include "kernels/impl/math.h"
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

inline void unary_math(Unary op, const float* x, float* y, Index n) {
  switch (op) {
    case Unary::exp:
      return map(x, y, n, [](Vf v) { return exp(v); });
    case Unary::log:
      return map(x, y, n, [](Vf v) { return log(v); });
    case Unary::tanh:
      return map(x, y, n, [](Vf v) { return tanh(v); });
    case Unary::sigmoid:
      return map(x, y, n, [](Vf v) { return sigmoid(v); });
    case Unary::silu:
      return map(x, y, n, [](Vf v) { return v * sigmoid(v); });
    case Unary::erf:
      return map(x, y, n, [](Vf v) { return erf(v); });
    case Unary::gelu:
      return map(x, y, n, [](Vf v) { return v * 0.5f * (erf(v * 0.707106781f) + 1.0f); });
    default:
      return;
  }
}

void unary(const UnaryFunction& function, const float* x, float* y, Index n) noexcept {
  const float alpha = function.alpha;
  const float beta = function.beta;
  switch (function.op) {
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
    case Unary::sqrt:
      return map(x, y, n, [](Vf v) { return sqrt(v); });
    case Unary::relu:
      return map(x, y, n, [](Vf v) { return at_least(v, Vf{}); });
    case Unary::clip:
      return map(x, y, n, [=](Vf v) { return clip(v, alpha, beta); });
    case Unary::leaky_relu:
      return map(x, y, n, [=](Vf v) { return v < 0.0f ? v * alpha : v; });
    case Unary::hard_sigmoid:
      return map(x, y, n, [=](Vf v) { return clip(v * alpha + beta, 0, 1); });
    case Unary::hard_swish:
      return map(x, y, n, [](Vf v) { return v * clip(v * (1.0f / 6) + 0.5f, 0, 1); });
    default:
      return unary_math(function.op, x, y, n);
  }
}

}  // namespace
}  // namespace strata::kernels
