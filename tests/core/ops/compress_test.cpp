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

  TEST_CASE("compress keeps elements of every width, and slices of them") {
    const Tensor numbers = Tensor::of<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                 keep = Tensor::of<bool>({2}, {1, 0}),
                 kept = Tensor::of<float>({2, 3, 1}, {1, 3, 5, 7, 9, 11}),
                 slices = Tensor::of<float>({2, 1, 2}, {3, 4, 9, 10});
    using enum DatumType;
    for (const DatumType type : {u4, u8, f16, f32, i64, c64, c128, string}) {
      CAPTURE(type);
      const auto in_type = [&](const Tensor& x) { return Value(cast(x, type)); };
      check_op(Compress{2}, {in_type(numbers), keep}, {in_type(kept)});
      check_op(Compress{1}, {in_type(numbers), Tensor::of<bool>({3}, {0, 1, 0})},
               {in_type(slices)});
      check_op(Compress{0}, {in_type(numbers), Tensor::of<bool>({2}, {0, 0})},
               {in_type(Tensor::of<float>({0, 3, 2}, {}))});
    }
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
