#include "strata/hir/ops/tree_ensemble.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// Two trees of one leaf each: they give these scores for every row.
hir::TreeEnsemble constant_scores(double first, double second, PostTransform transform) {
  strata::TreeEnsemble trees;
  trees.roots = {0, 1};
  trees.tests = {0, 0};
  trees.features = {0, 0};
  trees.thresholds = Tensor::of<double>({2}, {0, 0});
  trees.on_true = trees.on_false = {-1, -2};
  trees.members = Tensor::of<double>({0}, {});
  trees.leaf_targets = {0, 1};
  trees.leaf_weights = Tensor::of<double>({2}, {first, second});
  trees.targets = 2;
  return {trees, transform};
}

const Value kRow = Tensor::of<double>({1, 1}, {0});

Value scores(double first, double second) { return Tensor::of<double>({1, 2}, {first, second}); }

}  // namespace

TEST_SUITE("hir TreeEnsemble") {
  TEST_CASE("scores are transformed") {
    check_inference_op(constant_scores(3, 0, PostTransform::none), {kRow}, {scores(3, 0)});
    check_inference_op(constant_scores(std::log(3), 0, PostTransform::softmax), {kRow},
                       {scores(0.75, 0.25)});
    check_inference_op(constant_scores(std::log(3), 0, PostTransform::logistic), {kRow},
                       {scores(0.75, 0.5)});
    check_inference_op(constant_scores(std::log(3), 0, PostTransform::softmax_zero), {kRow},
                       {scores(1, 0)});
  }

  TEST_CASE("probit is the inverse of the normal distribution, to about 0.2 %") {
    // Winitzki's formula, worked out: x = 2 * 0.8 - 1 = 0.6, log = ln(0.64), a = 0.147.
    const double log = std::log(0.64), v = 2 / (3.14159265358979 * 0.147) + log / 2;
    const double expected = std::sqrt(2 * (std::sqrt(v * v - log / 0.147) - v));
    CHECK(expected == doctest::Approx(0.8416212).epsilon(2e-3));
    check_inference_op(constant_scores(0.8, 0.5, PostTransform::probit), {kRow},
                       {scores(expected, 0)});
  }
}
