#include "strata/core/ops/lrn.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("lrn") {
  TEST_CASE("each element is divided by the squares around its channel") {
    const Tensor x = Tensor::of<float>({1, 3, 1}, {1, 2, 3});
    // size 2 sums channels c and c + 1: 5, 13, 9; times alpha / size = 1, plus 1: 6, 14, 10
    check_op(Lrn{2, 1, 1, 2}, {x}, {Tensor::of<float>({1, 3, 1}, {1.0F / 6, 2.0F / 14, 0.3F})});
    // size 3: 5, 14, 13; plus 11: 16, 25, 24; to the power 1/2
    check_op(Lrn{3, 0.5F, 11, 3}, {x}, {Tensor::of<float>({1, 3, 1}, {0.25F, 0.4F, 0.6123724F})});
  }

  TEST_CASE("lrn_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(Lrn{}, {}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("lrn_c2: integers") {
    CHECK_THROWS_WITH_AS(facts_of(Lrn{}, {Fact::tensor(DatumType::i32, Shape{1, 1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("lrn_c3: no channel axis") {
    CHECK_THROWS_WITH_AS(facts_of(Lrn{}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("lrn_c4: no channels") {
    CHECK_THROWS_WITH_AS(facts_of(Lrn{1, 1, 1, 0}, {Fact::tensor(DatumType::f32, Shape{1, 1})}),
                         doctest::Contains("(C4)"), Error);
  }
}
