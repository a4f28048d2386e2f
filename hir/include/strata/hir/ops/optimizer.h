#pragma once

#include <array>

#include "strata/hir/inference_op.h"

/// One step of gradient descent on any number of variables. All take the learning rate and the
/// number of steps done, then one group of inputs after the other, each with one tensor per
/// variable: values, gradients, and what the method accumulates. They give new values and new
/// accumulations.
namespace strata::hir {

enum class MomentumMode { standard, nesterov };

constexpr auto enumerators(MomentumMode) {
  return std::to_array<std::pair<MomentumMode, std::string_view>>(
      {{MomentumMode::standard, "standard"}, {MomentumMode::nesterov, "nesterov"}});
}

/// ONNX Momentum; groups: values, gradients, momenta.
struct Momentum {
  static constexpr std::string_view name = "Momentum";
  MomentumMode mode = MomentumMode::standard;
  double alpha = 0;             ///< of the old momentum
  double beta = 0;              ///< of the gradient, from the second step on
  double norm_coefficient = 0;  ///< of the value in the gradient

  static constexpr auto attributes() {
    return std::tuple{attr("mode", &Momentum::mode), attr("alpha", &Momentum::alpha),
                      attr("beta", &Momentum::beta),
                      attr("norm_coefficient", &Momentum::norm_coefficient)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Momentum>);

/// ONNX Adagrad; groups: values, gradients, sums of squared gradients.
struct Adagrad {
  static constexpr std::string_view name = "Adagrad";
  double decay_factor = 0;  ///< of the learning rate
  double epsilon = 1e-6;
  double norm_coefficient = 0;  ///< of the value in the gradient

  static constexpr auto attributes() {
    return std::tuple{attr("decay_factor", &Adagrad::decay_factor),
                      attr("epsilon", &Adagrad::epsilon),
                      attr("norm_coefficient", &Adagrad::norm_coefficient)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Adagrad>);

/// ONNX Adam; groups: values, gradients, running means of gradients and of squared gradients.
struct Adam {
  static constexpr std::string_view name = "Adam";
  double alpha = 0.9;   ///< of the old mean of gradients
  double beta = 0.999;  ///< of the old mean of squared gradients
  double epsilon = 1e-6;
  double norm_coefficient = 0;       ///< of the value in the gradient
  double norm_coefficient_post = 0;  ///< the share of the new value that is taken off

  static constexpr auto attributes() {
    return std::tuple{attr("alpha", &Adam::alpha), attr("beta", &Adam::beta),
                      attr("epsilon", &Adam::epsilon),
                      attr("norm_coefficient", &Adam::norm_coefficient),
                      attr("norm_coefficient_post", &Adam::norm_coefficient_post)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Adam>);

}  // namespace strata::hir
