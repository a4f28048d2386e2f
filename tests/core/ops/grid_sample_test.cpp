#include "strata/core/ops/grid_sample.h"

#include <doctest/doctest.h>

#include "support/f32_fact.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor grid(std::initializer_list<float> places) {
  return Tensor::of<float>({1, static_cast<std::int64_t>(places.size()), 1}, places);
}

}  // namespace

TEST_SUITE("grid_sample") {
  const Tensor x = Tensor::of<float>({1, 1, 3}, {10, 20, 40});

  TEST_CASE("grid_sample reads the corners and between them") {
    const GridSample op{.align_corners = true};
    check_op(op, {x, grid({-1, -0.5, 0, 1})}, {Tensor::of<float>({1, 1, 4}, {10, 15, 20, 40})});
  }

  TEST_CASE("grid_sample finds zeros, the border or a mirror outside") {
    // Places 1.5 and 2 are half an element and a whole one past the last, which is the edge of the
    // mirror.
    GridSample op{.align_corners = true};
    check_op(op, {x, grid({1.5, 2})}, {Tensor::of<float>({1, 1, 2}, {20, 0})});
    op.padding = GridPadding::border;
    check_op(op, {x, grid({1.5, 2})}, {Tensor::of<float>({1, 1, 2}, {40, 40})});
    op.padding = GridPadding::reflection;
    check_op(op, {x, grid({1.5, 2})}, {Tensor::of<float>({1, 1, 2}, {30, 20})});
  }

  TEST_CASE("grid_sample takes the last coordinate of the input first") {
    const Tensor plane = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
    const Tensor places = Tensor::of<float>({1, 1, 2, 2}, {1, -1, -1, 1});
    check_op(GridSample{GridMode::nearest, GridPadding::zeros, true}, {plane, places},
             {Tensor::of<float>({1, 1, 1, 2}, {2, 3})});
  }

  TEST_CASE("grid_sample by a cubic kernel keeps a constant") {
    const Tensor same = Tensor::of<float>({1, 1, 4}, {7, 7, 7, 7});
    check_op(GridSample{GridMode::cubic, GridPadding::border, true}, {same, grid({-0.9f, 0.1f})},
             {Tensor::of<float>({1, 1, 2}, {7, 7})});
  }

  TEST_CASE("grid_sample finds zeros in a plane without elements") {
    const Tensor nothing = Tensor::of<float>({1, 1, 0, 9}, {});
    const Tensor places = Tensor::of<float>({1, 1, 1, 2}, {0.5f, 0.5f});
    for (const GridMode mode : {GridMode::nearest, GridMode::linear, GridMode::cubic})
      for (const GridPadding padding :
           {GridPadding::zeros, GridPadding::border, GridPadding::reflection})
        check_op(GridSample{mode, padding, false}, {nothing, places},
                 {Tensor::of<float>({1, 1, 1, 1}, {0})});
  }

  TEST_CASE("grid_sample_c1: no grid") { check_refused(GridSample{}, {f32({1, 1, 3})}, "(C1)"); }
  TEST_CASE("grid_sample_c2: a grid of integers") {
    check_refused(GridSample{}, {f32({1, 1, 3}), Fact::tensor(DatumType::i64, Shape{1, 1, 1})},
                  "(C2)");
  }
  TEST_CASE("grid_sample_c3: two ranks") {
    check_refused(GridSample{}, {f32({1, 1, 3}), f32({1, 1, 1, 2})}, "(C3)");
  }
  TEST_CASE("grid_sample_c3: axes whose products no one waits for") {
    const auto of_rank = [](std::size_t rank) {
      Shape x(rank, 1), grid(rank, 1);
      grid.back() = static_cast<std::int64_t>(rank) - 2;
      return std::vector<Fact>{Fact::tensor(DatumType::f32, x), Fact::tensor(DatumType::f32, grid)};
    };
    CHECK(facts_of(GridSample{}, of_rank(10))[0].shape.rank() == 10);
    CHECK_THROWS_WITH_AS(facts_of(GridSample{}, of_rank(11)), doctest::Contains("(C3)"), Error);
    CHECK(facts_of(GridSample{GridMode::nearest}, of_rank(64))[0].shape.rank() == 64);
  }
  TEST_CASE("grid_sample_c4: places of other coordinates") {
    check_refused(GridSample{}, {f32({1, 1, 3}), f32({1, 1, 2})}, "(C4)");
  }
}
