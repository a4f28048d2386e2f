#include "strata/core/ops/optional_has.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("optional_has") {
  TEST_CASE("optional_has tells whether there is a value") {
    check_op(OptionalHas{},
             {Optional{ValueType::tensor(DatumType::f32),
                       std::make_shared<const Value>(Tensor::of<float>({2}, {1, 2}))}},
             {Tensor::scalar(true)});
    check_op(OptionalHas{}, {Optional{ValueType::tensor(DatumType::f32), nullptr}},
             {Tensor::scalar(false)});
    check_op(OptionalHas{}, {Tensor::of<float>({2}, {1, 2})}, {Tensor::scalar(true)});
  }

  TEST_CASE("optional_has_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(OptionalHas{}, {}), doctest::Contains("takes 1 input, 0 given"),
                         Error);
  }
}
