#include "strata/core/ops/compress.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("compress") {
  TEST_CASE("compress keeps where the condition holds") {
    check_op(Compress{0},
             {Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), Tensor::of<bool>({3}, {0, 1, 1})},
             {Tensor::of<float>({2, 2}, {3, 4, 5, 6})});
    check_op(Compress{1},
             {Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), Tensor::of<bool>({2}, {0, 1})},
             {Tensor::of<float>({3, 1}, {2, 4, 6})});
    check_op(
        Compress{},
        {Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), Tensor::of<bool>({5}, {0, 1, 0, 0, 1})},
        {Tensor::of<float>({2}, {2, 5})});
  }

  TEST_CASE("compress_c1: a condition of integers") {
    CHECK_THROWS_WITH_AS(facts_of(Compress{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                               Fact::tensor(DatumType::i64, Shape{2})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("compress_c2: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(facts_of(Compress{1}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                Fact::tensor(DatumType::boolean, Shape{1})}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
  }

  TEST_CASE("compress_c3: too many conditions") {
    CHECK_THROWS_WITH_AS(facts_of(Compress{0}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                Fact::tensor(DatumType::boolean, Shape{3})}),
                         doctest::Contains("(C3)"), Error);
  }
}
