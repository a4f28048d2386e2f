#include "strata/core/ops/tensor_scatter.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("tensor_scatter") {
  TEST_CASE("tensor_scatter writes at each batch's start") {
    check_op((TensorScatter{1}),
             {Tensor::of<float>({2, 3}, {0, 0, 0, 0, 0, 0}), Tensor::of<float>({2, 1}, {1, 2}),
              Tensor::of<std::int64_t>({2}, {2, 0})},
             {Tensor::of<float>({2, 3}, {0, 0, 1, 2, 0, 0})});
    check_op((TensorScatter{1, ScatterWrap::circular}),
             {Tensor::of<float>({1, 3}, {0, 0, 0}), Tensor::of<float>({1, 2}, {1, 2}),
              Tensor::of<std::int64_t>({1}, {2})},
             {Tensor::of<float>({1, 3}, {2, 0, 1})});
  }

  TEST_CASE("tensor_scatter_c1: another type") {
    CHECK_THROWS_WITH_AS(facts_of(TensorScatter{1}, {Fact::tensor(DatumType::f32, Shape{1, 2}),
                                                     Fact::tensor(DatumType::i64, Shape{1, 1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("tensor_scatter_c2: the batch axis") {
    CHECK_THROWS_WITH_AS(facts_of(TensorScatter{0}, {Fact::tensor(DatumType::f32, Shape{1, 2}),
                                                     Fact::tensor(DatumType::f32, Shape{1, 1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("tensor_scatter_c3: a start too many") {
    CHECK_THROWS_WITH_AS(facts_of(TensorScatter{1}, {Fact::tensor(DatumType::f32, Shape{1, 2}),
                                                     Fact::tensor(DatumType::f32, Shape{1, 1}),
                                                     Fact::tensor(DatumType::i64, Shape{2})}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("tensor_scatter_c4: an update past the end") {
    CHECK_THROWS_WITH_AS(
        TypedOp(TensorScatter{1})
            .eval(ValueList{Tensor::of<float>({1, 2}, {0, 0}), Tensor::of<float>({1, 1}, {1}),
                            Tensor::of<std::int64_t>({1}, {2})}),
        doctest::Contains("(C4)"), Error);
  }
}
