#include "strata/core/ops/layer_norm.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("layer_norm") {
  // Rows 1, 3 (mean 2, variance 1) and 0, 4 (mean 2, variance 4).
  const Tensor kX = Tensor::of<float>({2, 2}, {1, 3, 0, 4});

  TEST_CASE("rows get mean 0 and variance 1, then scale and bias") {
    const Tensor scale = Tensor::of<float>({2}, {2, 3}), bias = Tensor::of<float>({1}, {10});
    check_op(LayerNorm{-1, 0}, {kX}, {Tensor::of<float>({2, 2}, {-1, 1, -1, 1})});
    check_op(LayerNorm{-1, 0}, {kX, scale}, {Tensor::of<float>({2, 2}, {-2, 3, -2, 3})});
    check_op(LayerNorm{1, 0}, {kX, scale, bias}, {Tensor::of<float>({2, 2}, {8, 13, 8, 13})});
  }

  TEST_CASE("axes from the given one on are normalised together, and epsilon counts") {
    // 1, 3, 0, 4: mean 2, variance 2.5, with epsilon 4
    check_op(LayerNorm{0, 1.5F}, {kX}, {Tensor::of<float>({2, 2}, {-0.5F, 0.5F, -1, 1})});
  }

  TEST_CASE("layer_norm_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(LayerNorm{}, {}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("layer_norm_c2: integers, or two types") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1}),
               i = Fact::tensor(DatumType::i32, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(LayerNorm{}, {i}), doctest::Contains("(C2)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(LayerNorm{}, {x, i}), doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("layer_norm_c3: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(facts_of(LayerNorm{1}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
  }

  TEST_CASE("layer_norm_c4: a scale that would stretch x") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1}),
               scale = Fact::tensor(DatumType::f32, Shape{2});
    CHECK_THROWS_WITH_AS(facts_of(LayerNorm{}, {x, scale}), doctest::Contains("(C4)"), Error);
  }
}
