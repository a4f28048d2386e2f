#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

/// A function of one float, with parameters.
enum class ActivationKind : std::uint8_t {
  celu,
  elu,
  hard_sigmoid,
  leaky_relu,
  selu,
  shrink,
  swish,
  thresholded_relu,
};

constexpr auto enumerators(ActivationKind) {
  using enum ActivationKind;
  return std::to_array<std::pair<ActivationKind, std::string_view>>({
      {celu, "celu"},
      {elu, "elu"},
      {hard_sigmoid, "hard_sigmoid"},
      {leaky_relu, "leaky_relu"},
      {selu, "selu"},
      {shrink, "shrink"},
      {swish, "swish"},
      {thresholded_relu, "thresholded_relu"},
  });
}

/// Applies a scalar function with the parameters alpha (a) and beta (b) to each element.
///
///   input    x   T[..]          output   T[..]
///   source   the ONNX ops of these names
///
///   celu              max(x, 0) + min(a (exp(x / a) - 1), 0)
///   elu               x < 0 ? a (exp(x) - 1) : x
///   hard_sigmoid      min(max(a x + b, 0), 1)
///   leaky_relu        x < 0 ? a x : x
///   selu              b (x <= 0 ? a (exp(x) - 1) : x)
///   shrink            x < -a ? x + b : x > a ? x - b : 0
///   swish             x / (1 + exp(-a x))
///   thresholded_relu  x > a ? x : 0
///
///   (C1) one input      (C2) a float type, or an integer one for shrink
///
/// NaN stays NaN, except in shrink and thresholded_relu, where it fails each comparison and so
/// becomes 0.
struct Activation {
  static constexpr std::string_view name = "Activation";
  ActivationKind op = ActivationKind::elu;
  float alpha = 1;
  float beta = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &Activation::op), attr("alpha", &Activation::alpha),
                      attr("beta", &Activation::beta)};
  }

  std::string display_name() const;
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Activation>);

}  // namespace strata
