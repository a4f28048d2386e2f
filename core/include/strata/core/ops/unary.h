#pragma once

#include <array>

#include "strata/core/patch.h"

namespace strata {

/// A function of one number, without parameters.
enum class UnaryOp : std::uint8_t {
  abs,
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atanh,
  bitwise_not,
  ceil,
  cos,
  cosh,
  erf,
  exp,
  floor,
  gelu,
  gelu_tanh,
  hard_swish,
  is_inf,
  is_nan,
  log,
  mish,
  neg,
  reciprocal,
  relu,
  round,
  rsqrt,
  sigmoid,
  sign,
  silu,
  sin,
  sinh,
  softplus,
  softsign,
  sqrt,
  square,
  tan,
  tanh,
  truth_not,
};

constexpr auto enumerators(UnaryOp) {
  using enum UnaryOp;
  return std::to_array<std::pair<UnaryOp, std::string_view>>({
      {abs, "abs"},
      {acos, "acos"},
      {acosh, "acosh"},
      {asin, "asin"},
      {asinh, "asinh"},
      {atan, "atan"},
      {atanh, "atanh"},
      {bitwise_not, "bitwise_not"},
      {ceil, "ceil"},
      {cos, "cos"},
      {cosh, "cosh"},
      {erf, "erf"},
      {exp, "exp"},
      {floor, "floor"},
      {gelu, "gelu"},
      {gelu_tanh, "gelu_tanh"},
      {hard_swish, "hard_swish"},
      {is_inf, "is_inf"},
      {is_nan, "is_nan"},
      {log, "log"},
      {mish, "mish"},
      {neg, "neg"},
      {reciprocal, "reciprocal"},
      {relu, "relu"},
      {round, "round"},
      {rsqrt, "rsqrt"},
      {sigmoid, "sigmoid"},
      {sign, "sign"},
      {silu, "silu"},
      {sin, "sin"},
      {sinh, "sinh"},
      {softplus, "softplus"},
      {softsign, "softsign"},
      {sqrt, "sqrt"},
      {square, "square"},
      {tan, "tan"},
      {tanh, "tanh"},
      {truth_not, "not"},
  });
}

/// Applies a scalar function to each element.
///
///   input    x   T[..]
///   output   T[..], or bool[..] for is_nan and is_inf
///   source   the ONNX ops of these names; silu is x * sigmoid(x), gelu_tanh the approximation of
///            gelu by tanh, round takes halves to even, rsqrt is 1 / sqrt(x)
///
///   (C1) one input      (C2) an element type the function is defined on
///
/// Floats are computed in double and rounded once; integers wrap in their own width.
struct Unary {
  static constexpr std::string_view name = "Unary";
  static constexpr bool evaluates_dims = true;
  UnaryOp op = UnaryOp::abs;

  static constexpr auto attributes() { return std::tuple{attr("op", &Unary::op)}; }

  std::string display_name() const;
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Unary>);

}  // namespace strata
