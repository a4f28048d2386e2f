#include "strata/core/ops/tree_ensemble.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor numbers(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

/// One node: x[1] `test` 2 goes to leaf 0 (10 for target 0), else to leaf 1 (20 for target 1).
TreeEnsemble stump(TreeTest test) {
  TreeEnsemble op;
  op.roots = {0};
  op.tests = {static_cast<std::uint8_t>(test)};
  op.features = {1};
  op.thresholds = numbers({2});
  op.on_true = {-1};
  op.on_false = {-2};
  op.members = numbers({});
  op.leaf_targets = {0, 1};
  op.leaf_weights = numbers({10, 20});
  op.targets = 2;
  return op;
}

/// The stump, and two trees that always end at leaf 2 (4 for target 0).
TreeEnsemble three_trees(TreeAggregate aggregate) {
  TreeEnsemble op = stump(TreeTest::less);
  op.roots = {0, 1, 2};
  op.tests.assign(3, static_cast<std::uint8_t>(TreeTest::less));
  op.features = {1, 1, 1};
  op.thresholds = numbers({2, 2, 2});
  op.on_true = {-1, -3, -3};
  op.on_false = {-2, -3, -3};
  op.leaf_targets = {0, 1, 0};
  op.leaf_weights = numbers({10, 20, 4});
  op.aggregate = aggregate;
  return op;
}

const Fact kRows = Fact::tensor(DatumType::f32, Shape{3, 2});
const float kMax = std::numeric_limits<float>::max();

}  // namespace

TEST_SUITE("tree_ensemble") {
  const Tensor x = Tensor::of<float>({3, 2}, {0, 1, 0, 2, 0, 3});

  TEST_CASE("tree_ensemble compares a feature with a threshold") {
    const auto left = [](bool a, bool b, bool c) {
      return Tensor::of<float>({3, 2}, {a ? 10.f : 0, a ? 0 : 20.f, b ? 10.f : 0, b ? 0 : 20.f,
                                        c ? 10.f : 0, c ? 0 : 20.f});
    };
    check_op(stump(TreeTest::less_or_equal), {x}, {left(true, true, false)});
    check_op(stump(TreeTest::less), {x}, {left(true, false, false)});
    check_op(stump(TreeTest::greater_or_equal), {x}, {left(false, true, true)});
    check_op(stump(TreeTest::greater), {x}, {left(false, false, true)});
    check_op(stump(TreeTest::equal), {x}, {left(false, true, false)});
    check_op(stump(TreeTest::not_equal), {x}, {left(true, false, true)});
    TreeEnsemble member = stump(TreeTest::member);
    member.members = numbers({1, 3});
    member.member_ends = {2};
    check_op(member, {x}, {left(true, false, true)});
  }

  TEST_CASE("tree_ensemble sends a missing feature where the node says") {
    const Tensor missing = Tensor::of<float>({1, 2}, {0, NAN});
    TreeEnsemble op = stump(TreeTest::less);
    check_op(op, {missing}, {Tensor::of<float>({1, 2}, {0, 20})});
    op.missing_is_true = {1};
    check_op(op, {missing}, {Tensor::of<float>({1, 2}, {10, 0})});
    // NaN differs from every threshold, but what the node says comes first.
    check_op(stump(TreeTest::not_equal), {missing}, {Tensor::of<float>({1, 2}, {0, 20})});
  }

  TEST_CASE("tree_ensemble joins the weights of all trees") {
    const Tensor row = Tensor::of<float>({1, 2}, {0, 1});
    check_op(three_trees(TreeAggregate::sum), {row}, {Tensor::of<float>({1, 2}, {18, 0})});
    check_op(three_trees(TreeAggregate::average), {row}, {Tensor::of<float>({1, 2}, {6, 0})});
    check_op(three_trees(TreeAggregate::min), {row}, {Tensor::of<float>({1, 2}, {4, kMax})});
    check_op(three_trees(TreeAggregate::max), {row}, {Tensor::of<float>({1, 2}, {10, -kMax})});
  }

  TEST_CASE("tree_ensemble_c1: x of another type") {
    CHECK_THROWS_WITH_AS(
        facts_of(stump(TreeTest::less), {Fact::tensor(DatumType::f64, Shape{3, 2})}),
        doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("tree_ensemble_c2: a vector") {
    CHECK_THROWS_WITH_AS(facts_of(stump(TreeTest::less), {Fact::tensor(DatumType::f32, Shape{3})}),
                         doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("tree_ensemble_c3: a node without a feature") {
    TreeEnsemble op = stump(TreeTest::less);
    op.features.clear();
    CHECK_THROWS_WITH_AS(facts_of(op, {kRows}), doctest::Contains("(C3)"), Error);
  }
  TEST_CASE("tree_ensemble_c4: a branch to a leaf that is not there") {
    TreeEnsemble op = stump(TreeTest::less);
    op.on_true = {-3};
    CHECK_THROWS_WITH_AS(facts_of(op, {kRows}), doctest::Contains("(C4)"), Error);
  }
  TEST_CASE("tree_ensemble_c4: a feature past the end of a row") {
    TreeEnsemble op = stump(TreeTest::less);
    op.features = {2};
    CHECK_THROWS_WITH_AS(op.eval(TensorList{x}), doctest::Contains("(C4)"), Error);
  }
  TEST_CASE("tree_ensemble_c5: a node that is its own branch") {
    TreeEnsemble op = stump(TreeTest::less);
    op.on_false = {0};
    CHECK_THROWS_WITH_AS(facts_of(op, {kRows}), doctest::Contains("(C5)"), Error);
  }
}
