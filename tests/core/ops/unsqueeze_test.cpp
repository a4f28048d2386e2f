#include "strata/core/ops/unsqueeze.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("unsqueeze") {
  TEST_CASE("unsqueeze puts in axes of size 1") {
    check_op(Unsqueeze{}, {Tensor::of<float>({2}, {1, 2}), Tensor::of<std::int64_t>({2}, {0, -1})},
             {Tensor::of<float>({1, 2, 1}, {1, 2})});
    CHECK(facts_of(Unsqueeze{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
                                 Fact::of(Tensor::of<std::int64_t>({1}, {1}))})[0]
              .shape.to_string() == "[N,1,3]");
  }

  TEST_CASE("unsqueeze by unknown axes knows the rank") {
    CHECK(facts_of(Unsqueeze{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
                                 Fact::tensor(DatumType::i64, Shape{2})})[0]
              .shape.rank() == 4);
  }

  TEST_CASE("unsqueeze_c1: an axis outside the output, or named twice, and axes that are no list") {
    CHECK_THROWS_WITH_AS(facts_of(Unsqueeze{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                Fact::of(Tensor::of<std::int64_t>({1}, {2}))}),
                         doctest::Contains("axis 2 is outside rank 2"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Unsqueeze{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                Fact::of(Tensor::of<std::int64_t>({2}, {0, -3}))}),
                         doctest::Contains("axes [0,-3] name an axis twice"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Unsqueeze{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                Fact::tensor(DatumType::i64, Shape{1, 1})}),
                         doctest::Contains("(C1)"), Error);
  }
}
