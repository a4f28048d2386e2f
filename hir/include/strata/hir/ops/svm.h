#pragma once

#include "strata/hir/ops/tree_ensemble.h"

namespace strata::hir {

enum class KernelType : std::uint8_t { linear, poly, rbf, sigmoid };

constexpr auto enumerators(KernelType) {
  using enum KernelType;
  return std::to_array<std::pair<KernelType, std::string_view>>(
      {{linear, "LINEAR"}, {poly, "POLY"}, {rbf, "RBF"}, {sigmoid, "SIGMOID"}});
}

/// How a row x is compared with a support vector v: x·v, (gamma x·v + coef0)^degree,
/// exp(-gamma |x - v|^2) or tanh(gamma x·v + coef0).
struct SvmKernel {
  KernelType type = KernelType::linear;
  double gamma = 0;
  double coef0 = 0;
  double degree = 0;
};

/// ONNX ai.onnx.ml SVMRegressor: the weighted sum of the kernel over the support vectors, plus rho;
/// its sign for one class. Computed in f64.
struct SvmRegressor {
  static constexpr std::string_view name = "SVMRegressor";
  SvmKernel kernel;
  Tensor vectors;       ///< f64[supports, features]; none: coefficients belong to the features
  Tensor coefficients;  ///< f64[supports, 1], or f64[features, 1]
  double rho = 0;
  bool one_class = false;
  PostTransform transform = PostTransform::none;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<SvmRegressor>);

/// ONNX ai.onnx.ml SVMClassifier: the label of the class that wins the most duels against other
/// classes (the first, of several), and the duels' scores or, with prob_a and prob_b,
/// probabilities. Without support vectors the score of each class is linear. Computed in f64.
struct SvmClassifier {
  static constexpr std::string_view name = "SVMClassifier";
  SvmKernel kernel;
  std::vector<std::int64_t> vectors_per_class;
  Tensor vectors;       ///< f64[supports, features], ordered by class
  Tensor coefficients;  ///< f64[classes - 1, supports], or f64[classes, features]
  std::vector<double> rho;
  std::vector<double> prob_a, prob_b;  ///< one per duel, or none
  Tensor labels;                       ///< i64 or string
  PostTransform transform = PostTransform::none;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<SvmClassifier>);

}  // namespace strata::hir
