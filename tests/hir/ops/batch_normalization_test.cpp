#include "strata/hir/ops/batch_normalization.h"

#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "strata/hir/inference_model.h"
#include "strata/hir/ops/normalization.h"
#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// Runs `op` in a model of which nothing is analysed, as in a body, on three channels and vectors
/// of so many numbers.
Value run_on_three_channels(const InferenceOp& op, const std::vector<std::int64_t>& sizes,
                            const std::optional<PartialShape>& declared) {
  InferenceModel model;
  OutletIds wires{model.add_source("x", InferenceFact::tensor(DatumType::f32, declared))};
  ValueList inputs{floats({1, 3, 1}, {1, 2, 3})};
  for (const std::int64_t size : sizes) {
    wires.push_back(
        model.add_source(cat("p", wires.size()), InferenceFact::tensor(DatumType::f32, {})));
    inputs.push_back(Tensor::vector<float>(std::vector<float>(static_cast<std::size_t>(size), 1)));
  }
  model.add_output("y", {model.add_node("node", op, wires, {InferenceFact()}), 0});
  return run_model(model.to_typed(), inputs)[0];
}

}  // namespace

TEST_SUITE("hir BatchNormalization") {
  const BatchNormalization op{.epsilon = 0};

  TEST_CASE("each channel has its statistics, whatever the rank") {
    const Value two = floats({2}, {2, 10}), ones = floats({2}, {1, 1}), mean = floats({2}, {1, 2});
    // (x - mean) * scale / sqrt(variance) + bias
    check_inference_op(op, {floats({1, 2, 2}, {1, 2, 3, 4}), two, ones, mean, ones},
                       {floats({1, 2, 2}, {1, 3, 11, 21})}, Undeclared::right);
    check_inference_op(op, {floats({1, 2}, {2, 3}), two, ones, mean, ones},
                       {floats({1, 2}, {3, 11})}, Undeclared::right);
    const Value one = floats({1}, {1});
    check_inference_op(op, {floats({2}, {2, 3}), floats({1}, {2}), one, one, one},
                       {floats({2}, {3, 5})}, Undeclared::right);
  }

  TEST_CASE("half floats are rounded once") {
    // 0.3 * 1001 and 0.3 * 1000 are a quarter apart in half floats.
    const Value one = halves({1}, {1}), none = halves({1}, {0});
    check_inference_op(
        op, {halves({2, 1}, {1000, 1001}), halves({1}, {0.3F}), none, halves({1}, {1000}), one},
        {halves({2, 1}, {0, 0.3F})});
  }

  TEST_CASE("statistics of half floats leave the data its precision") {
    const Value one = floats({1}, {1}), none = floats({1}, {0});
    check_inference_op(op,
                       {floats({1, 1}, {4096.5}), one, none, halves({1}, {4096}), halves({1}, {1})},
                       {floats({1, 1}, {0.5})});
  }

  TEST_CASE("training finds a variance beyond half floats") {
    BatchNormalization training = op;
    training.statistics = BatchStatistics::of_batch;
    const Value one = halves({1}, {1}), none = halves({1}, {0});
    // 0 * 0.9 + 300^2 * 0.1
    check_inference_op(training, {halves({2, 1}, {300, -300}), one, none, none, none},
                       {halves({2, 1}, {1, -1}), none, halves({1}, {9000})});
  }

  TEST_CASE("a vector of one number is none of one for each of three channels") {
    const PartialShape sizes{std::nullopt, 3, std::nullopt};
    for (const auto& declared : {std::optional<PartialShape>(), std::optional(sizes)}) {
      CHECK(run_on_three_channels(op, {3, 3, 3, 3}, declared) == floats({1, 3, 1}, {1, 2, 3}));
      for (std::size_t i = 0; i < 4; ++i) {
        std::vector<std::int64_t> vectors(4, 3);
        vectors[i] = 1;
        CHECK_THROWS_WITH_AS(run_on_three_channels(op, vectors, declared),
                             doctest::Contains("shape [1] does not reshape to [3]"), Error);
      }
      CHECK(run_on_three_channels(InstanceNormalization{}, {3, 3}, declared) ==
            floats({1, 3, 1}, {1, 1, 1}));
      for (const auto& vectors : std::vector<std::vector<std::int64_t>>{{1, 3}, {3, 1}, {1, 1}})
        CHECK_THROWS_WITH_AS(run_on_three_channels(InstanceNormalization{}, vectors, declared),
                             doctest::Contains("shape [1] does not reshape to [3]"), Error);
    }
  }
}
