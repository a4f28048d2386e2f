#include "strata/core/ops/gather_nd.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("gather_nd") {
  TEST_CASE("gather_nd picks slices by tuples") {
    check_op(
        GatherNd{0},
        {Tensor::of<float>({2, 2}, {0, 1, 2, 3}), Tensor::of<std::int64_t>({2, 2}, {0, 0, 1, 1})},
        {Tensor::of<float>({2}, {0, 3})});
    check_op(GatherNd{0},
             {Tensor::of<float>({2, 2}, {0, 1, 2, 3}), Tensor::of<std::int64_t>({2, 1}, {1, 0})},
             {Tensor::of<float>({2, 2}, {2, 3, 0, 1})});
    check_op(GatherNd{1},
             {Tensor::of<float>({2, 2}, {0, 1, 2, 3}), Tensor::of<std::int64_t>({2, 1}, {1, 0})},
             {Tensor::of<float>({2}, {1, 2})});
  }

  TEST_CASE("gather_nd_c1: scalar indices") {
    CHECK_THROWS_WITH_AS(facts_of(GatherNd{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                               Fact::tensor(DatumType::i64, Shape{})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("gather_nd_c2: batches that differ") {
    CHECK_THROWS_WITH_AS(facts_of(GatherNd{1}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                                Fact::tensor(DatumType::i64, Shape{3, 1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("gather_nd_c3: tuples too long") {
    CHECK_THROWS_WITH_AS(facts_of(GatherNd{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                               Fact::tensor(DatumType::i64, Shape{1, 2})}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("gather_nd_c4: an index outside its axis") {
    CHECK_THROWS_WITH_AS(
        TypedOp(GatherNd{})
            .eval(ValueList{Tensor::of<float>({2}, {0, 1}), Tensor::of<std::int64_t>({1, 1}, {2})}),
        doctest::Contains("index 2 is outside an axis of 2"), Error);
  }
}
