#include "strata/core/ops/gather_elements.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("gather_elements") {
  TEST_CASE("gather_elements picks single elements") {
    check_op(
        GatherElements{1},
        {Tensor::of<float>({2, 2}, {1, 2, 3, 4}), Tensor::of<std::int64_t>({2, 2}, {0, 0, 1, 0})},
        {Tensor::of<float>({2, 2}, {1, 1, 4, 3})});
    check_op(GatherElements{0},
             {Tensor::of<float>({2, 2}, {1, 2, 3, 4}), Tensor::of<std::int64_t>({1, 2}, {-1, 0})},
             {Tensor::of<float>({1, 2}, {3, 2})});
  }

  TEST_CASE("gather_elements_c1: indices of floats") {
    CHECK_THROWS_WITH_AS(facts_of(GatherElements{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                     Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("gather_elements_c2: two ranks") {
    CHECK_THROWS_WITH_AS(facts_of(GatherElements{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                     Fact::tensor(DatumType::i64, Shape{1, 1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("gather_elements_c3: indices larger than data") {
    CHECK_THROWS_WITH_AS(TypedOp(GatherElements{0})
                             .eval(ValueList{Tensor::of<float>({1, 1}, {1}),
                                             Tensor::of<std::int64_t>({1, 2}, {0, 0})}),
                         doctest::Contains("(C3)"), Error);
  }
}
