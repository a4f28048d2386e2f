#include "strata/hir/ops/scan.h"

#include <doctest/doctest.h>

#include "strata/core/ops/binary.h"
#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// Takes sum and part; gives sum + part, and that again to be stacked. With a captured value, that
/// is added to the latter.
InferenceBody running_sum(std::size_t captures = 0) {
  const auto body = std::make_shared<InferenceModel>();
  const OutletId sum = body->add_source("sum", {}), part = body->add_source("part", {});
  const auto add = [&](const char* name, OutletId a, OutletId b) {
    return OutletId{body->add_node(name, Direct{Binary{BinaryOp::add}}, {a, b}, {InferenceFact()}),
                    0};
  };
  const OutletId next = add("next", sum, part);
  body->add_output("next", next);
  body->add_output("row",
                   captures == 0 ? next : add("row", next, body->add_source("captured", {})));
  return body;
}

/// [[1, 2, 4], [8, 16, 32]]
const Value kRows = floats({2, 3}, {1, 2, 4, 8, 16, 32});

}  // namespace

TEST_SUITE("hir Scan") {
  TEST_CASE("the sums so far are stacked row by row") {
    check_inference_op(
        Scan{running_sum(), 1, {{0}}, {{0}}}, {floats({3}, {100, 200, 300}), kRows},
        {floats({3}, {109, 218, 336}), floats({2, 3}, {101, 202, 304, 109, 218, 336})});
  }

  TEST_CASE("inputs may be scanned, and outputs stacked, along the last axis and from the end") {
    check_inference_op(Scan{running_sum(), 1, {{-1, true}}, {{-1}}}, {floats({2}, {0, 0}), kRows},
                       {floats({2}, {7, 56}), floats({2, 3}, {4, 6, 7, 32, 48, 56})});
    check_inference_op(Scan{running_sum(), 1, {{1}}, {{1, true}}}, {floats({2}, {0, 0}), kRows},
                       {floats({2}, {7, 56}), floats({2, 3}, {7, 3, 1, 56, 24, 8})});
  }

  TEST_CASE("the body reads captured values") {
    check_inference_op(
        Scan{running_sum(1), 1, {{0}}, {{0}}}, {floats({3}, {0, 0, 0}), kRows, floats({1}, {1000})},
        {floats({3}, {9, 18, 36}), floats({2, 3}, {1001, 1002, 1004, 1009, 1018, 1036})});
  }

  TEST_CASE("no slice leaves the state as it was") {
    check_inference_op(Scan{running_sum(), 1, {{0}}, {{0}}},
                       {floats({3}, {1, 2, 3}), floats({0, 3}, {})},
                       {floats({3}, {1, 2, 3}), floats({0, 3}, {})}, Undeclared::unspecified);
  }

  TEST_CASE("a state that changes its shape is refused") {
    CHECK_THROWS_WITH_AS(check_inference_op(Scan{running_sum(), 1, {{0}}, {{0}}},
                                            {floats({1}, {0}), kRows}, {Value(), Value()}),
                         doctest::Contains("state 0"), Error);
  }

  TEST_CASE("an axis outside the rank is refused") {
    CHECK_THROWS_WITH_AS(check_inference_op(Scan{running_sum(), 1, {{2}}, {{0}}},
                                            {floats({3}, {0, 0, 0}), kRows}, {Value(), Value()}),
                         doctest::Contains("axis 2 is outside rank 2"), Error);
  }

  TEST_CASE("a batched scan takes as many steps of each element as it is told") {
    const Value lengths = Tensor::of<std::int64_t>({2}, {2, 3});
    const Value sums = floats({2, 1}, {100, 200});
    const Value parts = floats({2, 3, 1}, {1, 2, 4, 8, 16, 32});
    check_inference_op(
        BatchedScan{{running_sum(), 1, {{0}}, {{0}}}}, {lengths, sums, parts},
        {floats({2, 1}, {103, 256}), floats({2, 3, 1}, {101, 103, 0, 208, 224, 256})});
    check_inference_op(
        BatchedScan{{running_sum(), 1, {{0, true}}, {{0}}}}, {lengths, sums, parts},
        {floats({2, 1}, {103, 256}), floats({2, 3, 1}, {102, 103, 0, 232, 248, 256})});
    check_inference_op(
        BatchedScan{{running_sum(), 1, {{0}}, {{0}}}}, {std::nullopt, sums, parts},
        {floats({2, 1}, {107, 256}), floats({2, 3, 1}, {101, 103, 107, 208, 224, 256})});
  }
}
