#include "strata/core/ops/tile.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("tile") {
  TEST_CASE("tile repeats along each axis") {
    check_op(Tile{}, {Tensor::of<float>({1, 2}, {1, 2}), Tensor::of<std::int64_t>({2}, {2, 2})},
             {Tensor::of<float>({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2})});
    check_op(Tile{}, {Tensor::of<float>({2, 1}, {1, 2}), Tensor::of<std::int64_t>({2}, {1, 0})},
             {Tensor::of<float>({2, 0}, {})});
    CHECK(facts_of(Tile{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
                            Fact::of(Tensor::of<std::int64_t>({2}, {2, 1}))})[0]
              .shape.to_string() == "[2*N,3]");
  }

  TEST_CASE("tile_c1: too few repeats") {
    CHECK_THROWS_WITH_AS(facts_of(Tile{}, {Fact::tensor(DatumType::f32, Shape{2, 3}),
                                           Fact::of(Tensor::of<std::int64_t>({1}, {2}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("tile_c2: a negative repeat") {
    CHECK_THROWS_WITH_AS(facts_of(Tile{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                           Fact::of(Tensor::of<std::int64_t>({1}, {-1}))}),
                         doctest::Contains("(C2)"), Error);
  }
}
