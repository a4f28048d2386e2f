#include "strata/core/ops/gather.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("gather") {
  TEST_CASE("gather picks slices") {
    check_op(
        Gather{0},
        {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<std::int64_t>({2}, {1, -2})},
        {Tensor::of<float>({2, 3}, {4, 5, 6, 1, 2, 3})});
    check_op(Gather{1},
             {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::scalar<std::int64_t>(2)},
             {Tensor::of<float>({2}, {3, 6})});
    check_op(
        Gather{-1},
        {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<std::int64_t>({1, 2}, {0, 2})},
        {Tensor::of<float>({2, 1, 2}, {1, 3, 4, 6})});
  }

  TEST_CASE("gather reads symbolic sizes") {
    const Fact shape = Fact::of(dims_tensor(std::vector{Dim::symbol("N"), Dim(3)}));
    CHECK(facts_of(Gather{0}, {shape, Fact::of(Tensor::scalar<std::int64_t>(0))})[0]
              .dims()
              ->front() == Dim::symbol("N"));
  }

  TEST_CASE("gather_c1: indices of floats") {
    CHECK_THROWS_WITH_AS(facts_of(Gather{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                             Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("gather_c2: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(facts_of(Gather{1}, {Fact::tensor(DatumType::f32, Shape{2}),
                                              Fact::tensor(DatumType::i64, Shape{1})}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
  }

  TEST_CASE("gather_c3: an index outside the axis") {
    CHECK_THROWS_WITH_AS(facts_of(Gather{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                             Fact::of(Tensor::of<std::int64_t>({1}, {2}))}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("gather_c3 in a run: an index outside the axis") {
    CHECK_THROWS_WITH_AS(TypedOp(Gather{}).eval(ValueList{Tensor::of<float>({2}, {1, 2}),
                                                          Tensor::of<std::int64_t>({1}, {-3})}),
                         doctest::Contains("index -3 is outside an axis of 2"), Error);
  }
}
