#include "strata/hir/ops/tree_model.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// x <= 1 gives the first target `low`, else the last one `high`.
strata::TreeEnsemble stump(std::int64_t targets, float low, float high) {
  strata::TreeEnsemble out;
  out.roots = {0};
  out.tests = {0};
  out.features = {0};
  out.thresholds = Tensor::of<float>({1}, {1});
  out.on_true = {-1};
  out.on_false = {-2};
  out.members = Tensor::of<float>({0}, {});
  out.leaf_targets = {0, targets - 1};
  out.leaf_weights = Tensor::of<float>({2}, {low, high});
  out.targets = targets;
  return out;
}

const Value kRows = Tensor::of<float>({2, 1}, {0, 2});
const Tensor kNoBase = Tensor::of<double>({0}, {});

}  // namespace

TEST_SUITE("hir tree models") {
  TEST_CASE("a regression divides, then adds the base values") {
    const TreeRegressor op{stump(2, 3, 5), 2, Tensor::of<double>({2}, {10, 20})};
    const Value expected = Tensor::of<float>({2, 2}, {11.5, 20, 10, 22.5});
    check_inference_op(op, {kRows}, {expected});
    check_inference_op(op, {Value(Tensor::of<double>({2, 1}, {0, 2}))}, {expected});
    check_inference_op(op, {Value(Tensor::of<std::int32_t>({2, 1}, {0, 2}))}, {expected});
  }

  TEST_CASE("a threshold in f64 is compared with f32 exactly") {
    TreeRegressor op{stump(1, 3, 5), 1, kNoBase};
    op.trees.thresholds = Tensor::of<double>({1}, {0.1});
    // The f32 next to 0.1 is above it.
    check_inference_op(op, {Value(Tensor::of<float>({1, 1}, {0.1F}))},
                       {Tensor::of<float>({1, 1}, {5})});
  }

  TEST_CASE("a classifier names the greatest score") {
    const TreeClassifier op{stump(3, 3, 5), kNoBase, Tensor::of<std::string>({3}, {"a", "b", "c"})};
    check_inference_op(
        op, {kRows},
        {Tensor::of<std::string>({2}, {"a", "c"}), Tensor::of<float>({2, 3}, {3, 0, 0, 0, 0, 5})});
  }

  TEST_CASE("one target scores the second of two classes") {
    TreeClassifier op{stump(1, 0.25, 0.75), kNoBase, Tensor::of<std::int64_t>({2}, {4, 5})};
    const Value labels = Tensor::of<std::int64_t>({2}, {4, 5});
    check_inference_op(op, {kRows}, {labels, Tensor::of<float>({2, 2}, {0.75, 0.25, 0.25, 0.75})});
    // From here on 0 is in the middle: sigmoid(0.25) = 0.5621765, sigmoid(0.75) = 0.6791787.
    op.transform = PostTransform::logistic;
    check_inference_op(
        op, {kRows},
        {Tensor::of<std::int64_t>({2}, {5, 5}),
         Tensor::of<float>({2, 2}, {0.43782350, 0.56217650, 0.32082130, 0.67917870})});
  }

  TEST_CASE("scores with negative weights are no probabilities: 0 is in the middle") {
    const TreeClassifier op{stump(1, -0.25, 0.25), kNoBase, Tensor::of<std::int64_t>({2}, {4, 5})};
    check_inference_op(op, {kRows},
                       {Tensor::of<std::int64_t>({2}, {4, 5}),
                        Tensor::of<float>({2, 2}, {0.25, -0.25, -0.25, 0.25})});
  }
}
