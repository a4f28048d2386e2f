#include "strata/hir/ops/batch_normalization.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

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
}
