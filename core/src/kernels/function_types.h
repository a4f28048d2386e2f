#pragma once

#include <cstddef>

/// The scalar functions that kernels apply.
///
/// These headers are also included by the sources compiled for one instruction set, so they hold
/// no code: a function emitted there and shared by the linker would break older CPUs.
namespace strata::kernels {

using Index = std::ptrdiff_t;

/// Scalar functions of one argument. NaN in gives NaN out for all of them except shrink and
/// thresholded_relu, which compare it and give 0.
enum class Unary {
  identity,
  abs,
  neg,
  floor,
  ceil,
  sqrt,
  relu,
  clip,          ///< to [alpha, beta]
  leaky_relu,    ///< x < 0 ? alpha * x : x
  hard_sigmoid,  ///< clip(alpha * x + beta, 0, 1)
  hard_swish,    ///< x * clip(x / 6 + 1/2, 0, 1)
  exp,
  log,
  tanh,
  sigmoid,
  silu,  ///< x * sigmoid(x)
  erf,
  gelu,              ///< x * (1 + erf(x / sqrt 2)) / 2
  round,             ///< to the nearest whole number, halves to even
  sign,              ///< -1, 0 or 1
  softsign,          ///< x / (1 + |x|)
  shrink,            ///< x < -alpha ? x + beta : x > alpha ? x - beta : 0
  thresholded_relu,  ///< x > alpha ? x : 0
  elu,               ///< x < 0 ? alpha * (e^x - 1) : x
  celu,              ///< x > 0 ? x : alpha * (e^(x / alpha) - 1); alpha > 0
  selu,              ///< beta * (x <= 0 ? alpha * (e^x - 1) : x)
  swish,             ///< x * sigmoid(alpha * x)
  to_f16,            ///< clipped to [alpha, beta], and rounded to the next f16
  to_bf16,           ///< the same for bf16
  softplus,          ///< log(1 + e^x)
  mish,              ///< x * tanh(softplus(x))
  gelu_tanh,         ///< x * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
};

/// A unary function with its parameters.
struct UnaryFunction {
  Unary op = Unary::identity;
  float alpha = 0;
  float beta = 0;
};

/// Scalar functions of two arguments; min and max return NaN if either argument is NaN.
enum class Binary {
  add,
  sub,
  mul,
  div,
  min,
  max,
  pow,   ///< as C's pow
  fmod,  ///< as C's fmod: the remainder, with the sign of a
  prelu  ///< a < 0 ? a * b : a
};

enum class Reduction { sum, mean, max, min, l1, l2, sum_square, log_sum, log_sum_exp };

/// e^x over the sum of them all, or the logarithm of that.
enum class SoftmaxForm { plain, logarithm };

/// What is done to the numbers of a row: they are folded into one, they become a softmax, or one of
/// them is searched.
enum class RowWork { fold, softmax, search };

}  // namespace strata::kernels
