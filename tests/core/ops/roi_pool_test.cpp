#include "strata/core/ops/roi_pool.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("roi_pool") {
  const Tensor x = Tensor::of<float>(
      {2, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, -9, -1, -2, -3, -4, -5, -6, -7, -8});
  Tensor region(float image, float x1, float y1, float x2, float y2) {
    return Tensor::of<float>({1, 5}, {image, x1, y1, x2, y2});
  }

  TEST_CASE("roi_pool takes the greatest element, the last row and column included") {
    check_op(RoiPool{}, {x, region(0, 0, 0, 1, 1)}, {Tensor::of<float>({1, 1, 1, 1}, {4})});
    check_op(RoiPool{}, {x, region(1, 0, 0, 2, 2)}, {Tensor::of<float>({1, 1, 1, 1}, {-1})});
  }
  TEST_CASE("roi_pool cells share the elements they only have in part") {
    // Three rows and columns on two cells: 0..1 and 1..2 each.
    check_op(RoiPool{2, 2}, {x, region(0, 0, 0, 2, 2)},
             {Tensor::of<float>({1, 1, 2, 2}, {4, 5, 7, 8})});
  }
  TEST_CASE("roi_pool scales corners and rounds halves away from 0") {
    // 1 * 0.5 = 0.5 becomes 1: the element in the middle.
    check_op(RoiPool{1, 1, 0.5}, {x, region(0, 1, 1, 2, 2)},
             {Tensor::of<float>({1, 1, 1, 1}, {4})});
  }
  TEST_CASE("roi_pool has 0 for cells outside the image, and one element at least") {
    check_op(RoiPool{}, {x, region(1, 5, 5, 6, 6)}, {Tensor::of<float>({1, 1, 1, 1}, {0})});
    check_op(RoiPool{}, {x, region(0, 2, 2, 0, 0)}, {Tensor::of<float>({1, 1, 1, 1}, {8})});
  }

  TEST_CASE("roi_pool_c1: regions of another type") {
    CHECK_THROWS_WITH_AS(
        facts_of(RoiPool{}, {Fact::of(x), Fact::tensor(DatumType::f64, Shape{1, 5})}),
        doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("roi_pool_c2: regions of four numbers") {
    CHECK_THROWS_WITH_AS(
        facts_of(RoiPool{}, {Fact::of(x), Fact::tensor(DatumType::f32, Shape{1, 4})}),
        doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("roi_pool_c3: an image past the batch") {
    CHECK_THROWS_WITH_AS(RoiPool{}.eval(TensorList{x, region(2, 0, 0, 1, 1)}),
                         doctest::Contains("(C3)"), Error);
  }
  TEST_CASE("roi_pool_c4: no cells") {
    CHECK_THROWS_WITH_AS(facts_of(RoiPool{0, 1}, {Fact::of(x), Fact::of(region(0, 0, 0, 1, 1))}),
                         doctest::Contains("(C4)"), Error);
  }
}
