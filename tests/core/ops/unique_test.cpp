#include "strata/core/ops/unique.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("unique") {
  TEST_CASE("unique finds different elements") {
    check_op((Unique{std::nullopt, UniqueOrder::first_seen}),
             {Tensor::of<float>({6}, {2, 1, 1, 3, 4, 3})},
             {Tensor::of<float>({4}, {2, 1, 3, 4}), Tensor::of<std::int64_t>({4}, {0, 1, 3, 4}),
              Tensor::of<std::int64_t>({6}, {0, 1, 1, 2, 3, 2}),
              Tensor::of<std::int64_t>({4}, {1, 2, 2, 1})});
    check_op(
        Unique{}, {Tensor::of<float>({2, 2}, {1, 3, 2, 3})},
        {Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<std::int64_t>({3}, {0, 2, 1}),
         Tensor::of<std::int64_t>({4}, {0, 2, 1, 2}), Tensor::of<std::int64_t>({3}, {1, 1, 2})});
    check_op(Unique{0}, {Tensor::of<float>({3, 3}, {1, 0, 0, 1, 0, 0, 2, 3, 4})},
             {Tensor::of<float>({2, 3}, {1, 0, 0, 2, 3, 4}), Tensor::of<std::int64_t>({2}, {0, 2}),
              Tensor::of<std::int64_t>({3}, {0, 0, 1}), Tensor::of<std::int64_t>({2}, {2, 1})});
  }

  TEST_CASE("unique_c1: complex numbers") {
    CHECK_THROWS_WITH_AS(facts_of(Unique{}, {Fact::tensor(DatumType::c64, Shape{2})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("unique_c2: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(facts_of(Unique{1}, {Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
  }
}
