#include "strata/core/ops/non_zero.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("non_zero") {
  TEST_CASE("non_zero lists indices") {
    check_op(NonZero{}, {Tensor::of<float>({2, 2}, {1, 0, 1, 1})},
             {Tensor::of<std::int64_t>({2, 3}, {0, 1, 1, 0, 0, 1})});
    check_op(NonZero{}, {Tensor::scalar<float>(2)}, {Tensor::of<std::int64_t>({0, 1}, {})});
  }

  TEST_CASE("non_zero_c1: a sequence") {
    CHECK_THROWS_WITH_AS(
        facts_of(NonZero{}, {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2))}),
        doctest::Contains("(C1)"), Error);
  }
}
