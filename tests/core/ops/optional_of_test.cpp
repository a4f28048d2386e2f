#include "strata/core/ops/optional_of.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("optional_of") {
  TEST_CASE("optional_of wraps a value") {
    check_op(OptionalOf{}, {Tensor::of<float>({2}, {1, 2})},
             {Optional{ValueType::tensor(DatumType::f32),
                       std::make_shared<const Value>(Tensor::of<float>({2}, {1, 2}))}});
  }

  TEST_CASE("optional_of_c1: an optional") {
    CHECK_THROWS_WITH_AS(
        facts_of(OptionalOf{}, {Fact::optional(Fact::tensor(DatumType::f32, Shape{1}))}),
        doctest::Contains("(C1)"), Error);
  }
}
