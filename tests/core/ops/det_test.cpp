#include "strata/core/ops/det.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("det") {
  TEST_CASE("det of each matrix of a batch") {
    const Tensor x = Tensor::of<float>({3, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0, 1, 2, 2, 4});
    check_op(Det{}, {x}, {Tensor::of<float>({3}, {-2, -1, 0})});
  }
  TEST_CASE("det of nothing is one") {
    check_op(Det{}, {Tensor::of<double>({0, 0}, {})}, {Tensor::scalar<double>(1)});
  }
  TEST_CASE("det_c1: integers") {
    CHECK_THROWS_WITH_AS(facts_of(Det{}, {Fact::tensor(DatumType::i32, Shape{2, 2})}),
                         doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("det_c2: a matrix that is not square") {
    CHECK_THROWS_WITH_AS(facts_of(Det{}, {Fact::tensor(DatumType::f32, Shape{2, 3})}),
                         doctest::Contains("(C2)"), Error);
  }
}
