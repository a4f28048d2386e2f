#include "strata/core/ops/split.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("split") {
  TEST_CASE("split cuts an axis") {
    check_op((Split{1, 2}),
             {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<std::int64_t>({2}, {1, 2})},
             {Tensor::of<float>({2, 1}, {1, 4}), Tensor::of<float>({2, 2}, {2, 3, 5, 6})});
    check_op((Split{0, 2}), {Tensor::of<float>({3}, {1, 2, 3})},
             {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {3})});
    check_op((Split{-1, 3}), {Tensor::of<float>({4}, {1, 2, 3, 4})},
             {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {3, 4}),
              Tensor::of<float>({0}, {})});
  }

  TEST_CASE("split halves a symbolic axis") {
    CHECK(facts_of((Split{0, 2}), {Fact::tensor(DatumType::f32, {{Dim(2) * Dim::symbol("N")}})})[1]
              .shape.to_string() == "[N]");
  }

  TEST_CASE("split_c1: no output, or more than there may be") {
    for (const std::size_t outputs : {std::size_t{0}, (std::size_t{1} << 20) + 1})
      CHECK_THROWS_WITH_AS(facts_of((Split{0, outputs}), {Fact::tensor(DatumType::f32, Shape{2})}),
                           doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("split_c2: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(facts_of((Split{1, 1}), {Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
  }

  TEST_CASE("split_c3: a size too few") {
    CHECK_THROWS_WITH_AS(facts_of((Split{0, 2}), {Fact::tensor(DatumType::f32, Shape{2}),
                                                  Fact::of(Tensor::of<std::int64_t>({1}, {2}))}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("split_c4: sizes that do not sum up") {
    CHECK_THROWS_WITH_AS(facts_of((Split{0, 2}), {Fact::tensor(DatumType::f32, Shape{3}),
                                                  Fact::of(Tensor::of<std::int64_t>({2}, {1, 1}))}),
                         doctest::Contains("(C4)"), Error);
  }
}
