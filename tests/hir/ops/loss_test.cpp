#include "strata/hir/ops/loss.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir losses") {
  const Value log_prob = Tensor::of<float>({2, 3, 2}, {1, 2, 2, 2, 3, 2, 0, 1, 2, 2, 1, 2});
  const Value target = Tensor::of<std::int64_t>({2, 2}, {2, 1, 0, 2});
  const Value weight = Tensor::of<float>({3}, {0.2f, 0.3f, 0.1f});

  TEST_CASE("a sample's loss is the negated log-probability of its class") {
    check_inference_op(NegativeLogLikelihoodLoss{LossReduction::none}, {log_prob, target},
                       {Tensor::of<float>({2, 2}, {-3, -2, 0, -2})});
    check_inference_op(NegativeLogLikelihoodLoss{LossReduction::mean}, {log_prob, target},
                       {Tensor::scalar(-1.75f)});
  }

  TEST_CASE("weights count in the loss and in the mean") {
    // -(3 * 0.1 + 2 * 0.3 + 0 * 0.2 + 2 * 0.1) = -1.1, over 0.1 + 0.3 + 0.2 + 0.1
    check_inference_op(NegativeLogLikelihoodLoss{LossReduction::sum}, {log_prob, target, weight},
                       {Tensor::scalar(-1.1f)});
    check_inference_op(NegativeLogLikelihoodLoss{LossReduction::mean}, {log_prob, target, weight},
                       {Tensor::scalar(-1.1f / 0.7f)});
  }

  TEST_CASE("a mean of half floats whose sum is beyond them") {
    const Value far = halves({2, 1}, {-40000, -40000}),
                first = Tensor::of<std::int64_t>({2}, {0, 0});
    check_inference_op(NegativeLogLikelihoodLoss{LossReduction::mean},
                       {far, first, halves({1}, {2})}, {halves({}, {40000})});
  }

  TEST_CASE("an ignored class need not exist and does not count") {
    const Value ignoring = Tensor::of<std::int64_t>({2, 2}, {-7, 1, -7, 2});
    check_inference_op(NegativeLogLikelihoodLoss{LossReduction::none, -7}, {log_prob, ignoring},
                       {Tensor::of<float>({2, 2}, {0, -2, 0, -2})});
    check_inference_op(NegativeLogLikelihoodLoss{LossReduction::mean, -7}, {log_prob, ignoring},
                       {Tensor::scalar(-2.0f)});
    // -(2 * 0.3 + 2 * 0.1) / (0.3 + 0.1)
    check_inference_op(NegativeLogLikelihoodLoss{LossReduction::mean, -7},
                       {log_prob, ignoring, weight}, {Tensor::scalar(-2.0f)});
  }

  TEST_CASE("cross entropy takes scores") {
    // Equal scores of two classes: log(1/2) each.
    const float half = -0.693147181f;
    check_inference_op(SoftmaxCrossEntropyLoss{LossReduction::none},
                       {Value(Tensor::of<float>({2, 2}, {5, 5, -1, -1})),
                        Value(Tensor::of<std::int32_t>({2}, {0, 1}))},
                       {Tensor::of<float>({2}, {-half, -half}),
                        Tensor::of<float>({2, 2}, {half, half, half, half})});
  }
}
