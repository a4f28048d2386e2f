#include "strata/core/ops/eye_like.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("eye_like") {
  TEST_CASE("eye_like puts ones on a diagonal") {
    check_op((EyeLike{DatumType::f32, 0}), {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<float>({2, 3}, {1, 0, 0, 0, 1, 0})});
    check_op((EyeLike{DatumType::i64, -1}), {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<std::int64_t>({2, 3}, {0, 0, 0, 1, 0, 0})});
  }

  TEST_CASE("eye_like_c1: a vector") {
    CHECK_THROWS_WITH_AS(facts_of(EyeLike{}, {Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("eye_like_c2: a diagonal of strings") {
    CHECK_THROWS_WITH_AS(
        facts_of(EyeLike{DatumType::string}, {Fact::tensor(DatumType::f32, Shape{2, 2})}),
        doctest::Contains("(C2)"), Error);
  }
}
