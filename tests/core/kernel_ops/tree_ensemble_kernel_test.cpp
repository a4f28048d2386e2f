#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/kernel_ops/on_threads.h"
#include "strata/core/ops/tree_ensemble.h"
#include "support/lowered.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Random ensembles whose thresholds and features are few numbers, so that they often meet.
class Forests {
 public:
  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }
  float value() {
    constexpr float kValues[] = {-kInfinity, -2, -1, -0.0f, 0, 1e-45f, 0.5, 1, 3, kInfinity, NAN};
    return kValues[number(0, std::ssize(kValues) - 1)];
  }
  Tensor values(const Shape& shape) {
    MutableTensor out(DatumType::f32, shape);
    for (float& x : out.as<float>()) x = value();
    return std::move(out).freeze();
  }
  Tensor weights(std::int64_t count) {
    MutableTensor out(DatumType::f32, {count});
    for (float& x : out.as<float>()) x = static_cast<float>(number(-99, 99)) / 7;
    return std::move(out).freeze();
  }

  /// Nodes whose branches go to later nodes, which several may share, or to leaves.
  TreeEnsemble forest(std::int64_t nodes, std::int64_t roots, std::int64_t features) {
    TreeEnsemble op;
    op.targets = number(1, 3);
    op.aggregate = static_cast<TreeAggregate>(number(0, 3));
    const std::int64_t leaves = number(1, 2 * nodes);
    const auto branch = [&](std::int64_t node) {
      return node + 1 < nodes && number(0, 2) > 0 ? number(node + 1, nodes - 1)
                                                  : -number(1, leaves);
    };
    std::vector<float> members;
    const bool has_missing = number(0, 1) == 1;
    for (std::int64_t i = 0; i < nodes; ++i) {
      op.tests.push_back(static_cast<std::uint8_t>(number(0, 6)));
      op.features.push_back(number(0, features - 1));
      op.on_true.push_back(branch(i));
      op.on_false.push_back(branch(i));
      if (has_missing) op.missing_is_true.push_back(static_cast<std::uint8_t>(number(0, 1)));
      for (std::int64_t m = number(0, 3); m > 0; --m) members.push_back(value());
      op.member_ends.push_back(std::ssize(members));
    }
    for (std::int64_t i = 0; i < roots; ++i) op.roots.push_back(number(0, nodes - 1));
    for (std::int64_t i = 0; i < leaves; ++i) op.leaf_targets.push_back(number(0, op.targets - 1));
    op.thresholds = values({nodes});
    op.members = Tensor::vector<float>(members);
    op.leaf_weights = weights(leaves);
    return op;
  }

 private:
  std::mt19937 random_{11};
};

/// The same ensemble of f64, in which only these tests occur.
TreeEnsemble in_f64(TreeEnsemble op, std::pair<TreeTest, TreeTest> tests) {
  for (std::uint8_t& test : op.tests)
    test = static_cast<std::uint8_t>(test % 2 == 0 ? tests.first : tests.second);
  op.thresholds = cast(op.thresholds, DatumType::f64);
  op.members = cast(op.members, DatumType::f64);
  op.leaf_weights = cast(op.leaf_weights, DatumType::f64);
  return op;
}

/// Two trees of one node, written once for each of two targets, as where leaves vote for both. The
/// last leaf of the second copy votes for `last_target`.
TreeEnsemble copied(std::int64_t last_target) {
  TreeEnsemble op;
  op.targets = 2;
  op.roots = {0, 1, 2, 3};
  op.tests.assign(4, static_cast<std::uint8_t>(TreeTest::less_or_equal));
  op.features = {0, 1, 0, 1};
  op.thresholds = Tensor::of<float>({4}, {1, 2, 1, 2});
  op.on_true = {-1, -3, -5, -7};
  op.on_false = {-2, -4, -6, -8};
  op.leaf_targets = {0, 0, 0, 0, 1, 1, 1, last_target};
  op.leaf_weights = Tensor::of<float>({8}, {1, 2, 10, 20, 100, 200, 1000, 2000});
  op.members = Tensor::of<float>({0}, {});
  return op;
}

/// How the kernel explains itself on two columns.
std::string explained(const TreeEnsemble& op) {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{3, 2}));
  model.add_output("y", model.wire("y", op, {x})[0]);
  optimise(model, Target{});
  const TypedNode& node = model.node(model.outputs()[0].outlet.node);
  return node.op.explain(model.facts_of(node.inputs), GatheredFacts(node.outputs));
}

}  // namespace

TEST_SUITE("tree_ensemble kernel") {
  TEST_CASE("walks trees of all tests, over missing, infinite and equal numbers") {
    Forests forests;
    for (int round = 0; round < 200; ++round) {
      CAPTURE(round);
      const std::int64_t features = forests.number(1, 5);
      const TreeEnsemble op =
          forests.forest(forests.number(1, 20), forests.number(1, 20), features);
      const Tensor x = forests.values({forests.number(0, 20), features + forests.number(0, 2)});
      check_lowered(op, {{x}}, "TreeEnsembleKernel");
    }
  }

  TEST_CASE("numbers of f64 between two floats, and beyond all of them") {
    Forests forests;
    const auto neighbour = [&](double x) {
      const double to = forests.number(0, 1) == 0 ? -kInfinity : kInfinity;
      return forests.number(0, 2) == 0 ? x : std::nextafter(x, to);
    };
    for (int round = 0; round < 200; ++round) {
      CAPTURE(round);
      const bool is_up = round % 2 == 0;
      const TreeEnsemble op =
          in_f64(forests.forest(forests.number(1, 20), forests.number(1, 20), 3),
                 is_up ? std::pair(TreeTest::less_or_equal, TreeTest::greater)
                       : std::pair(TreeTest::less, TreeTest::greater_or_equal));
      MutableTensor x(DatumType::f64, {forests.number(0, 20), 3});
      for (double& each : x.as<double>()) each = neighbour(forests.value());
      if (x.size() > 0) x.as<double>()[0] = forests.number(0, 1) == 0 ? 1e300 : -1e300;
      check_lowered(op, {{std::move(x).freeze()}}, "TreeEnsembleKernel");
    }
  }

  TEST_CASE("where numbers of f64 may not be rounded, there is no kernel") {
    const Tensor x = Tensor::of<double>({2, 2}, {1, 2, 0.1, 3});
    const std::pair same{TreeTest::less_or_equal, TreeTest::less_or_equal};
    TreeEnsemble op = in_f64(copied(1), same);
    check_lowered(op, {{x}}, "TreeEnsembleKernel");
    op.tests[3] = static_cast<std::uint8_t>(TreeTest::less);
    check_lowered(op, {{x}}, "TreeEnsemble");
    check_lowered(in_f64(copied(1), {TreeTest::equal, TreeTest::equal}), {{x}}, "TreeEnsemble");
    op = in_f64(copied(1), same);
    op.thresholds = Tensor::of<double>({4}, {1, 0.1, 1, 0.1});
    check_lowered(op, {{x}}, "TreeEnsemble");
  }

  TEST_CASE("many rows, in the same order on each number of threads") {
    Forests forests;
    for (const std::int64_t rows : {127, 128, 129, 1003}) {
      const TreeEnsemble op = forests.forest(60, 30, 4);
      const Tensor x = forests.values({rows, 4});
      check_lowered(op, {{x}}, "TreeEnsembleKernel");
      check_lowered_threads(op, {{x}});
    }
  }

  TEST_CASE("copies of trees for each target are walked once") {
    const Tensor x = Tensor::of<float>({3, 2}, {0, 0, 2, 0, 2, 3});
    for (const std::int64_t last_target : {1, 0})
      check_lowered(copied(last_target), {{x}}, "TreeEnsembleKernel");
    CHECK(explained(copied(1)).find("weights for all targets") != std::string::npos);
    CHECK(explained(copied(0)).find("weights for all targets") == std::string::npos);
    TreeEnsemble other = copied(1);
    other.thresholds = Tensor::of<float>({4}, {1, 2, 1, 3});
    CHECK(explained(other).find("weights for all targets") == std::string::npos);
    check_lowered(other, {{Tensor::of<float>({1, 2}, {1, 2.5})}}, "TreeEnsembleKernel");
  }

  TEST_CASE("no trees, and rows that lack a feature") {
    TreeEnsemble none;
    none.thresholds = none.members = none.leaf_weights = Tensor::of<float>({0}, {});
    check_lowered(none, {{Tensor::of<float>({2, 1}, {1, 2})}}, "TreeEnsembleKernel");
    check_lowered(copied(1), {{Tensor::of<float>({2, 1}, {1, 2})}}, "TreeEnsembleKernel");
  }

  TEST_CASE("features beyond 32 bits are left to eval, which refuses them") {
    for (const std::int64_t feature : {std::int64_t{1} << 31, (std::int64_t{1} << 32) + 1}) {
      TreeEnsemble op = copied(1);
      op.features = {0, feature, 0, feature};
      check_lowered(op, {{Tensor::of<float>({2, 2}, {1, 2, 3, 4})}}, "TreeEnsemble");
    }
  }
}
