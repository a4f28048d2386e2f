#include "strata/core/ops/optional_get.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("optional_get") {
  TEST_CASE("optional_get unwraps, and passes other values on") {
    check_op(OptionalGet{},
             {Optional{ValueType::tensor(DatumType::f32),
                       std::make_shared<const Value>(Tensor::of<float>({2}, {1, 2}))}},
             {Tensor::of<float>({2}, {1, 2})});
    check_op(OptionalGet{}, {Tensor::of<float>({2}, {1, 2})}, {Tensor::of<float>({2}, {1, 2})});
  }

  TEST_CASE("optional_get_c1: an empty optional") {
    CHECK_THROWS_WITH_AS(TypedOp(OptionalGet{})
                             .eval(ValueList{Optional{ValueType::tensor(DatumType::f32), nullptr}}),
                         doctest::Contains("(C1)"), Error);
  }
}
