#include "strata/core/ops/scatter_nd.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("scatter_nd") {
  TEST_CASE("scatter_nd replaces slices") {
    check_op(ScatterNd{},
             {Tensor::of<float>({4}, {1, 2, 3, 4}), Tensor::of<std::int64_t>({2, 1}, {3, 1}),
              Tensor::of<float>({2}, {9, 8})},
             {Tensor::of<float>({4}, {1, 8, 3, 9})});
    check_op(ScatterNd{ScatterReduction::add},
             {Tensor::of<float>({2, 2}, {1, 2, 3, 4}), Tensor::of<std::int64_t>({2, 1}, {0, 0}),
              Tensor::of<float>({2, 2}, {1, 1, 2, 2})},
             {Tensor::of<float>({2, 2}, {4, 5, 3, 4})});
  }

  TEST_CASE("scatter_nd_c1: updates of another type") {
    CHECK_THROWS_WITH_AS(facts_of(ScatterNd{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                Fact::tensor(DatumType::i64, Shape{1, 1}),
                                                Fact::tensor(DatumType::i64, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("scatter_nd_c2: tuples too long") {
    CHECK_THROWS_WITH_AS(facts_of(ScatterNd{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                Fact::tensor(DatumType::i64, Shape{1, 2}),
                                                Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("scatter_nd_c3: updates of another shape") {
    CHECK_THROWS_WITH_AS(facts_of(ScatterNd{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                Fact::tensor(DatumType::i64, Shape{1, 1}),
                                                Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("scatter_nd_c4: an index outside its axis") {
    CHECK_THROWS_WITH_AS(
        TypedOp(ScatterNd{})
            .eval(ValueList{Tensor::of<float>({2}, {1, 2}), Tensor::of<std::int64_t>({1, 1}, {2}),
                            Tensor::of<float>({1}, {3})}),
        doctest::Contains("index 2 is outside an axis of 2"), Error);
  }
}
