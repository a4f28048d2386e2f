#include "strata/hir/ops/svm.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

const Value kRow = Tensor::of<float>({1, 2}, {1, 2});

/// The kernel of (1, 2) with (3, 1): the product is 5, the squared distance 5.
void check_kernel(const SvmKernel& kernel, double expected) {
  const SvmRegressor op{kernel, Tensor::of<double>({1, 2}, {3, 1}),
                        Tensor::of<double>({1, 1}, {1})};
  check_inference_op(op, {kRow}, {Tensor::of<float>({1, 1}, {static_cast<float>(expected)})});
}

/// Three classes with one support vector each, on the first axis.
SvmClassifier three_classes() {
  SvmClassifier op;
  op.vectors_per_class = {1, 1, 1};
  op.vectors = Tensor::of<double>({3, 1}, {1, 2, 3});
  op.coefficients = Tensor::of<double>({2, 3}, {1, 10, 100, 1000, 10000, 100000});
  op.rho = {0, 0, 0};
  op.labels = Tensor::of<std::string>({3}, {"a", "b", "c"});
  return op;
}

}  // namespace

TEST_SUITE("hir support vector machines") {
  TEST_CASE("the four kernels compare a row with a support vector") {
    check_kernel({KernelType::linear}, 5);
    check_kernel({KernelType::poly, 2, 1, 3}, 1331);
    check_kernel({KernelType::rbf, 0.5}, std::exp(-2.5));
    check_kernel({KernelType::sigmoid, 0.1, 0.5}, std::tanh(1.0));
  }

  TEST_CASE("distances are exact far from 0, and infinite where a row is") {
    const SvmRegressor op{{KernelType::rbf, 0.5},
                          Tensor::of<double>({1, 2}, {1e4, 1e4 + 1}),
                          Tensor::of<double>({1, 1}, {1})};
    const float inf = std::numeric_limits<float>::infinity();
    const Value rows = Tensor::of<float>({4, 2}, {1e4F, 1e4F, 1e4F + 1, 1e4F, inf, 1, -inf, inf});
    check_inference_op(op, {rows},
                       {Tensor::of<float>({4, 1}, {std::exp(-0.5F), std::exp(-1.0F), 0, 0})});
  }

  TEST_CASE("a negative gamma makes what is far count more") {
    check_kernel({KernelType::rbf, -0.5}, std::exp(2.5));
  }

  TEST_CASE("a regression weighs the kernel of each support vector and adds rho") {
    SvmRegressor op{
        {}, Tensor::of<double>({2, 2}, {3, 1, 0, 1}), Tensor::of<double>({2, 1}, {1, -2}), 0.5};
    check_inference_op(op, {kRow}, {Tensor::of<float>({1, 1}, {1.5})});
    op.one_class = true;
    check_inference_op(op, {kRow}, {Tensor::of<float>({1, 1}, {1})});
    op.rho = -1;
    check_inference_op(op, {kRow}, {Tensor::of<float>({1, 1}, {-1})});
  }

  TEST_CASE("without support vectors the coefficients are of the features") {
    const SvmRegressor op{
        {}, Tensor::of<double>({0}, {}), Tensor::of<double>({2, 1}, {1, 10}), 0.5};
    check_inference_op(op, {kRow}, {Tensor::of<float>({1, 1}, {21.5})});
  }

  TEST_CASE("a duel takes row j - 1 for the vectors of class i and row i for those of class j") {
    SvmClassifier op = three_classes();
    // x v: 1, 2, 3. Duel (0,1): 1*1 + 10*2; (0,2): 1000*1 + 100*3; (1,2): 10000*2 + 100000*3.
    check_inference_op(
        op, {Value(Tensor::of<float>({1, 1}, {1}))},
        {Tensor::of<std::string>({1}, {"a"}), Tensor::of<float>({1, 3}, {21, 1300, 320000})});
    // Class 0 loses both duels, class 2 beats class 1.
    check_inference_op(
        op, {Value(Tensor::of<float>({1, 1}, {-1}))},
        {Tensor::of<std::string>({1}, {"c"}), Tensor::of<float>({1, 3}, {-21, -1300, -320000})});
  }

  TEST_CASE("the score of one duel stands for both classes") {
    SvmClassifier op;
    op.vectors_per_class = {1, 1};
    op.vectors = Tensor::of<double>({2, 1}, {1, 2});
    op.coefficients = Tensor::of<double>({1, 2}, {1, 1});
    op.rho = {-1};
    op.labels = Tensor::of<std::int64_t>({2}, {4, 5});
    const Value rows = Tensor::of<float>({2, 1}, {1, 0});
    const Value labels = Tensor::of<std::int64_t>({2}, {4, 5});
    check_inference_op(op, {rows}, {labels, Tensor::of<float>({2, 2}, {-2, 2, 1, -1})});
    // 1 - sigmoid(-s) = sigmoid(s) with a = -1, b = 0: 0.880797 for 2, 0.268941 for -1.
    op.prob_a = {-1};
    op.prob_b = {0};
    check_inference_op(
        op, {rows},
        {labels, Tensor::of<float>({2, 2}, {0.88079708, 0.11920292, 0.26894142, 0.73105858})});
  }

  TEST_CASE("without support vectors each class has its coefficients") {
    SvmClassifier op;
    op.vectors = Tensor::of<double>({0}, {});
    op.coefficients = Tensor::of<double>({2, 2}, {1, 0, 0, 1});
    op.rho = {0.5};
    op.labels = Tensor::of<std::int64_t>({2}, {4, 5});
    check_inference_op(op, {kRow},
                       {Tensor::of<std::int64_t>({1}, {5}), Tensor::of<float>({1, 2}, {1.5, 2.5})});
  }
}
