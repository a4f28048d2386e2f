#include "strata/core/ops/trilu.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("trilu") {
  TEST_CASE("trilu keeps a triangle") {
    check_op(Trilu{Triangle::upper}, {Tensor::of<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})},
             {Tensor::of<float>({3, 3}, {1, 2, 3, 0, 5, 6, 0, 0, 9})});
    check_op(
        Trilu{Triangle::lower},
        {Tensor::of<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), Tensor::scalar<std::int64_t>(-1)},
        {Tensor::of<float>({3, 3}, {0, 0, 0, 4, 0, 0, 7, 8, 0})});
    check_op(Trilu{Triangle::upper},
             {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::scalar<std::int64_t>(1)},
             {Tensor::of<float>({2, 3}, {0, 2, 3, 0, 0, 6})});
  }

  TEST_CASE("trilu_c1: a vector") {
    CHECK_THROWS_WITH_AS(facts_of(Trilu{}, {Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("trilu_c2: two diagonals") {
    CHECK_THROWS_WITH_AS(facts_of(Trilu{}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                            Fact::tensor(DatumType::i64, Shape{2})}),
                         doctest::Contains("(C2)"), Error);
  }
}
