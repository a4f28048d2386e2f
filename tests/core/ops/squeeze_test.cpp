#include "strata/core/ops/squeeze.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("squeeze") {
  TEST_CASE("squeeze takes out axes of size 1") {
    check_op(Squeeze{}, {Tensor::of<float>({1, 2, 1}, {1, 2}), Tensor::of<std::int64_t>({1}, {-1})},
             {Tensor::of<float>({1, 2}, {1, 2})});
    check_op(Squeeze{}, {Tensor::of<float>({1, 2, 1}, {1, 2})}, {Tensor::of<float>({2}, {1, 2})});
  }

  TEST_CASE("squeeze without axes of a symbolic shape has an unknown rank") {
    CHECK(facts_of(Squeeze{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}})})[0]
              .shape.is_open());
  }

  TEST_CASE("squeeze_c1: an axis outside the rank, or named twice") {
    CHECK_THROWS_WITH_AS(facts_of(Squeeze{}, {Fact::tensor(DatumType::f32, Shape{1, 1}),
                                              Fact::of(Tensor::of<std::int64_t>({1}, {2}))}),
                         doctest::Contains("axis 2 is outside rank 2"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Squeeze{}, {Fact::tensor(DatumType::f32, Shape{1, 1}),
                                              Fact::of(Tensor::of<std::int64_t>({2}, {0, -2}))}),
                         doctest::Contains("axes [0,-2] name an axis twice"), Error);
  }

  TEST_CASE("squeeze_c2: an axis of another size") {
    CHECK_THROWS_WITH_AS(facts_of(Squeeze{}, {Fact::tensor(DatumType::f32, Shape{2, 1}),
                                              Fact::of(Tensor::of<std::int64_t>({1}, {0}))}),
                         doctest::Contains("(C2)"), Error);
  }
}
