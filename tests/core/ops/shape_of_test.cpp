#include "strata/core/ops/shape_of.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("shape_of") {
  TEST_CASE("shape_of gives the sizes of the axes") {
    check_op(ShapeOf{}, {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<std::int64_t>({2}, {2, 3})});
    check_op(ShapeOf{-1}, {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<std::int64_t>({1}, {3})});
    check_op((ShapeOf{0, -1}), {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<std::int64_t>({1}, {2})});
    check_op((ShapeOf{1, 0}), {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::vector<std::int64_t>({})});
  }

  TEST_CASE("shape_of knows symbolic sizes before the run") {
    const auto dims =
        facts_of(ShapeOf{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}})})[0].dims();
    REQUIRE(dims);
    CHECK((*dims)[0] == Dim::symbol("N"));
    CHECK((*dims)[1] == Dim(3));
  }

  TEST_CASE("shape_of_c1: a sequence has no shape") {
    CHECK_THROWS_WITH_AS(
        facts_of(ShapeOf{}, {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2))}),
        doctest::Contains("(C1)"), Error);
  }
}
