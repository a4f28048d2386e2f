#include "strata/core/ops/arg_reduce.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("arg_reduce") {
  TEST_CASE("the first or the last of equal extremes is found") {
    const Tensor x = Tensor::of<float>({2, 3}, {1, 3, 3, -2, -2, 0});
    const auto indices = [](Shape shape, std::initializer_list<std::int64_t> values) {
      return Tensor::of<std::int64_t>(std::move(shape), values);
    };
    check_op(ArgReduce{Extreme::max, 1}, {x}, {indices({2, 1}, {1, 2})});
    check_op(ArgReduce{Extreme::max, -1, false, Tie::last}, {x}, {indices({2}, {2, 2})});
    check_op(ArgReduce{Extreme::min, 1, false}, {x}, {indices({2}, {0, 0})});
    check_op(ArgReduce{Extreme::min, 0, false, Tie::last}, {x}, {indices({3}, {1, 1, 1})});
  }

  TEST_CASE("large integers are told apart, and NaN is the extreme") {
    check_op(ArgReduce{Extreme::max, 0, false},
             {Tensor::of<std::int64_t>({2}, {INT64_MAX - 1, INT64_MAX})},
             {Tensor::scalar<std::int64_t>(1)});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    check_op(ArgReduce{Extreme::min, 0, false}, {Tensor::of<float>({3}, {1, nan, 0})},
             {Tensor::scalar<std::int64_t>(1)});
  }

  TEST_CASE("arg_reduce_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(ArgReduce{}, {}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("arg_reduce_c2: strings") {
    CHECK_THROWS_WITH_AS(facts_of(ArgReduce{}, {Fact::tensor(DatumType::string, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("arg_reduce_c3: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(
        facts_of(ArgReduce{Extreme::max, 1}, {Fact::tensor(DatumType::f32, Shape{1})}),
        doctest::Contains("axis 1 is outside rank 1"), Error);
  }

  TEST_CASE("arg_reduce_c4: an empty axis") {
    CHECK_THROWS_WITH_AS(facts_of(ArgReduce{}, {Fact::tensor(DatumType::f32, Shape{0})}),
                         doctest::Contains("(C4)"), Error);
  }
}
