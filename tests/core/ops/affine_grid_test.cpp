#include "strata/core/ops/affine_grid.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("affine_grid") {
  const Tensor size = Tensor::of<std::int64_t>({4}, {1, 1, 2, 2});
  const Tensor identity = Tensor::of<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0});

  TEST_CASE("affine_grid of the identity lists the elements' own places") {
    check_op(AffineGrid{GridCorners::centres}, {identity, size},
             {Tensor::of<float>({1, 2, 2, 2}, {-1, -1, 1, -1, -1, 1, 1, 1})});
    check_op(AffineGrid{GridCorners::edges}, {identity, size},
             {Tensor::of<float>({1, 2, 2, 2}, {-0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, 0.5})});
  }

  TEST_CASE("affine_grid scales and shifts") {
    const Tensor theta = Tensor::of<float>({1, 2, 3}, {2, 0, 3, 0, -1, 0});
    check_op(AffineGrid{GridCorners::centres}, {theta, size},
             {Tensor::of<float>({1, 2, 2, 2}, {1, 1, 5, 1, 1, -1, 5, -1})});
  }

  TEST_CASE("affine_grid gives each coordinate of a volume by its own row, the last axis first") {
    // With centres, an axis of 2 has -1 and 1, one of 1 has 0, and one of 3 has -1, 0 and 1.
    const Tensor volume = Tensor::of<std::int64_t>({5}, {1, 1, 2, 1, 3});
    const Tensor theta =
        Tensor::of<float>({1, 3, 4}, {1, 5, 10, 100, 2, 6, 20, 200, 3, 7, 30, 300});
    std::vector<float> expected;
    for (const int z : {-1, 1})
      for (const int x : {-1, 0, 1})
        for (const int row : {1, 2, 3})
          expected.push_back(static_cast<float>(row * (x + 10 * z + 100)));
    check_op(AffineGrid{GridCorners::centres}, {theta, volume},
             {Tensor::of<float>({1, 2, 1, 3, 3}, expected)});
  }

  TEST_CASE("affine_grid_c1: a matrix") {
    CHECK_THROWS_WITH_AS(
        facts_of(AffineGrid{}, {Fact::tensor(DatumType::f32, Shape{2, 3}), Fact::of(size)}),
        doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("affine_grid_c2: a size without channels") {
    CHECK_THROWS_WITH_AS(
        facts_of(AffineGrid{},
                 {Fact::of(identity), Fact::of(Tensor::of<std::int64_t>({3}, {1, 2, 2}))}),
        doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("affine_grid_c3: two batch sizes") {
    CHECK_THROWS_WITH_AS(
        facts_of(AffineGrid{},
                 {Fact::of(identity), Fact::of(Tensor::of<std::int64_t>({4}, {2, 1, 2, 2}))}),
        doctest::Contains("(C3)"), Error);
  }
}
