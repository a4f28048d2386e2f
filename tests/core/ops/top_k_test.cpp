#include "strata/core/ops/top_k.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("top_k") {
  TEST_CASE("top_k finds the best, first among equals") {
    check_op(TopK{}, {Tensor::of<float>({1, 4}, {1, 3, 3, 2}), Tensor::scalar<std::int64_t>(3)},
             {Tensor::of<float>({1, 3}, {3, 3, 2}), Tensor::of<std::int64_t>({1, 3}, {1, 2, 3})});
    check_op((TopK{0, TopKOrder::least}),
             {Tensor::of<float>({3, 1}, {5, -1, 2}), Tensor::of<std::int64_t>({1}, {2})},
             {Tensor::of<float>({2, 1}, {-1, 2}), Tensor::of<std::int64_t>({2, 1}, {1, 2})});
  }

  TEST_CASE("top_k_c1: strings") {
    CHECK_THROWS_WITH_AS(facts_of(TopK{}, {Fact::tensor(DatumType::string, Shape{2}),
                                           Fact::of(Tensor::of<std::int64_t>({1}, {1}))}),
                         doctest::Contains("(C1)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(TopK{}, {Fact::tensor(DatumType::i4, Shape{2}),
                                           Fact::of(Tensor::of<std::int64_t>({1}, {1}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("k may be one number of any rank") {
    const auto facts = facts_of(TopK{}, {Fact::tensor(DatumType::f32, Shape{5}),
                                         Fact::of(Tensor::of<std::int64_t>({1, 1}, {2}))});
    CHECK(facts[0].shape == ShapeFact(Shape{2}));
  }

  TEST_CASE("top_k_c2: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(facts_of(TopK{1}, {Fact::tensor(DatumType::f32, Shape{2}),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {1}))}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
  }

  TEST_CASE("top_k_c3: k of floats") {
    CHECK_THROWS_WITH_AS(facts_of(TopK{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                           Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("top_k_c4: more than there are") {
    CHECK_THROWS_WITH_AS(facts_of(TopK{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                           Fact::of(Tensor::of<std::int64_t>({1}, {3}))}),
                         doctest::Contains("(C4)"), Error);
  }
}
