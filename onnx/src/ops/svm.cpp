#include "strata/hir/ops/svm.h"

#include <numeric>

#include "ops/all.h"
#include "ops/ml_attributes.h"

namespace strata::onnx {
namespace {

hir::SvmKernel kernel(NodeArgs& node) {
  hir::SvmKernel out;
  out.type = named(node, "kernel_type", hir::KernelType::linear);
  const std::vector<float> params = list_or_empty(node, "kernel_params");
  check(params.empty() || params.size() == 3, "kernel_params has ", params.size(),
        " values, not gamma, coef0 and degree");
  if (!params.empty()) {
    out.gamma = params[0];
    out.coef0 = params[1];
    out.degree = params[2];
  }
  return out;
}

/// The support vectors, f64[supports, features]; of none, f64[0].
Tensor support_vectors(NodeArgs& node, std::int64_t supports) {
  const std::vector<float> values = list_or_empty(node, "support_vectors");
  if (supports == 0) return Tensor::of<double>({0}, {});
  return cast(matrix(values, supports, "support_vectors"), DatumType::f64);
}

hir::InferenceOp parse_svm_regressor(NodeArgs& node) {
  node.expect_inputs(1, 1);
  hir::SvmRegressor op;
  op.kernel = kernel(node);
  const std::int64_t supports = node.integer("n_supports", 0);
  check(supports >= 0, "n_supports is ", supports);
  op.vectors = support_vectors(node, supports);
  const std::vector<float> weights = list_or_empty(node, "coefficients");
  check(supports == 0 || std::cmp_equal(weights.size(), supports), weights.size(),
        " coefficients for ", supports, " support vectors");
  op.coefficients = cast(matrix(weights, static_cast<std::int64_t>(weights.size()), "coefficients"),
                         DatumType::f64);
  const std::vector<float> rho = list_or_empty(node, "rho");
  check(rho.size() == 1, "rho has ", rho.size(), " values, not 1");
  op.rho = rho[0];
  op.one_class = node.flag("one_class", false);
  op.transform = post_transform(node);
  return op;
}

/// A class for each count of support vectors; every two of them have a duel.
void read_duels(NodeArgs& node, hir::SvmClassifier& op) {
  for (const std::int64_t count : op.vectors_per_class)
    check(count <= INT32_MAX, "a class has ", count, " support vectors");
  const std::int64_t supports =
      std::accumulate(op.vectors_per_class.begin(), op.vectors_per_class.end(), std::int64_t{0});
  const auto classes = static_cast<std::int64_t>(op.vectors_per_class.size());
  check(classes >= 2, "support vectors of ", classes, " classes");
  op.vectors = support_vectors(node, supports);
  op.coefficients = cast(matrix(list_or_empty(node, "coefficients"), classes - 1, "coefficients"),
                         DatumType::f64);
  check(op.coefficients.shape()[1] == supports, "coefficients of shape ",
        ShapeFact(op.coefficients.shape()), " for ", supports, " support vectors");
  const auto duels = static_cast<std::size_t>(classes * (classes - 1) / 2);
  check(op.rho.size() == duels, "rho has ", op.rho.size(), " values for ", duels,
        " pairs of classes");
  check(op.prob_a.size() == op.prob_b.size() && (op.prob_a.empty() || op.prob_a.size() == duels),
        "prob_a and prob_b have ", op.prob_a.size(), " and ", op.prob_b.size(), " values for ",
        duels, " pairs of classes");
  op.labels = labels_of_classes(op.labels, classes);
}

hir::InferenceOp parse_svm_classifier(NodeArgs& node) {
  node.expect_inputs(1, 1);
  hir::SvmClassifier op;
  op.kernel = kernel(node);
  op.labels = class_labels(node, "classlabels_ints", "classlabels_strings");
  op.rho = doubles(list_or_empty(node, "rho"));
  op.prob_a = doubles(list_or_empty(node, "prob_a"));
  op.prob_b = doubles(list_or_empty(node, "prob_b"));
  op.transform = post_transform(node);
  const Shape counts = node.integers("vectors_per_class").value_or(Shape{});
  for (const std::int64_t count : counts) {
    check(count >= 0, "vectors_per_class has the entry ", count);
    op.vectors_per_class.push_back(count);
  }
  if (!counts.empty()) {
    read_duels(node, op);
    return op;
  }
  node.ignore("support_vectors");
  const std::int64_t classes = op.labels.size();
  check(classes >= 2 && !op.rho.empty(), "a linear classifier of ", classes, " classes and ",
        op.rho.size(), " values of rho");
  op.vectors = support_vectors(node, 0);
  op.coefficients =
      cast(matrix(list_or_empty(node, "coefficients"), classes, "coefficients"), DatumType::f64);
  return op;
}

}  // namespace

void register_svm(Registry& r) {
  r.add_to(kMl, "SVMClassifier", {1}, parse_svm_classifier);
  r.add_to(kMl, "SVMRegressor", {1}, parse_svm_regressor);
}

}  // namespace strata::onnx
