#include "strata/core/ops/one_hot.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("one_hot") {
  TEST_CASE("one_hot marks the index") {
    check_op(OneHot{},
             {Tensor::of<std::int64_t>({3}, {0, -1, 5}), Tensor::scalar<std::int64_t>(3),
              Tensor::of<float>({2}, {0, 1})},
             {Tensor::of<float>({3, 3}, {1, 0, 0, 0, 0, 1, 0, 0, 0})});
    check_op(OneHot{0},
             {Tensor::of<std::int64_t>({2}, {1, 0}), Tensor::scalar<std::int64_t>(2),
              Tensor::of<float>({2}, {2, 5})},
             {Tensor::of<float>({2, 2}, {2, 5, 5, 2})});
  }

  TEST_CASE("one_hot_c1: indices of strings") {
    CHECK_THROWS_WITH_AS(facts_of(OneHot{}, {Fact::tensor(DatumType::string, Shape{1}),
                                             Fact::of(Tensor::of<std::int64_t>({1}, {3})),
                                             Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("(C1)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(OneHot{}, {Fact::tensor(DatumType::i64, Shape{1}),
                                             Fact::of(Tensor::of<std::int64_t>({1}, {3})),
                                             Fact::tensor(DatumType::u4, Shape{2})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("one_hot_c2: a negative depth") {
    CHECK_THROWS_WITH_AS(facts_of(OneHot{}, {Fact::tensor(DatumType::i64, Shape{1}),
                                             Fact::of(Tensor::of<std::int64_t>({1}, {-1})),
                                             Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("one_hot_c3: three values") {
    CHECK_THROWS_WITH_AS(facts_of(OneHot{}, {Fact::tensor(DatumType::i64, Shape{1}),
                                             Fact::of(Tensor::of<std::int64_t>({1}, {3})),
                                             Fact::tensor(DatumType::f32, Shape{3})}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("one_hot_c4: an axis outside the output") {
    CHECK_THROWS_WITH_AS(facts_of(OneHot{2}, {Fact::tensor(DatumType::i64, Shape{1}),
                                              Fact::of(Tensor::of<std::int64_t>({1}, {3})),
                                              Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("axis 2 is outside rank 2"), Error);
  }
}
