#include "strata/core/ops/expand.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("expand") {
  TEST_CASE("expand stretches axes of size 1") {
    check_op(Expand{}, {Tensor::of<float>({2, 1}, {1, 2}), Tensor::of<std::int64_t>({2}, {2, 3})},
             {Tensor::of<float>({2, 3}, {1, 1, 1, 2, 2, 2})});
    check_op(Expand{},
             {Tensor::of<float>({2, 1}, {1, 2}), Tensor::of<std::int64_t>({3}, {2, 1, 2})},
             {Tensor::of<float>({2, 2, 2}, {1, 1, 2, 2, 1, 1, 2, 2})});
    check_op(Expand{}, {Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<std::int64_t>({1}, {1})},
             {Tensor::of<float>({3}, {1, 2, 3})});
    check_op(Expand{}, {Tensor::scalar(5.0f), Tensor::of<std::int64_t>({1}, {0})},
             {Tensor::of<float>({0}, {})});
  }

  TEST_CASE("expand_c1: a negative size") {
    CHECK_THROWS_WITH_AS(facts_of(Expand{}, {Fact::tensor(DatumType::f32, Shape{1}),
                                             Fact::of(Tensor::of<std::int64_t>({1}, {-1}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("expand_c2: shapes that do not broadcast") {
    CHECK_THROWS_WITH_AS(facts_of(Expand{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                             Fact::of(Tensor::of<std::int64_t>({1}, {3}))}),
                         doctest::Contains("(C2)"), Error);
  }
}
