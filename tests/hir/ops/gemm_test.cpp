#include "strata/hir/ops/gemm.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir Gemm") {
  const Value a = floats({1, 2}, {1, 2}), b = floats({2, 2}, {1, 0, 3, 1});

  TEST_CASE("a product has a scaled term") {
    check_inference_op(Gemm{.alpha = 2, .beta = 0.5}, {a, b, floats({2}, {4, 6})},
                       {floats({1, 2}, {16, 7})});
  }

  TEST_CASE("integers are not scaled by a part of one") {
    const Value four = Tensor::of<std::int32_t>({1, 1}, {4}),
                one = Tensor::of<std::int32_t>({1, 1}, {1});
    check_inference_op(Gemm{.alpha = 2}, {four, one}, {Tensor::of<std::int32_t>({1, 1}, {8})});
    CHECK_THROWS_WITH_AS(check_inference_op(Gemm{.alpha = 0.5}, {four, one}, {four}),
                         doctest::Contains("by a factor of 0.5"), Error);
  }

  TEST_CASE("a factor brings back a product beyond half floats") {
    // 2 * 300 * 300 / 4
    check_inference_op(Gemm{.alpha = 0.25},
                       {halves({1, 2}, {300, 300}), halves({2, 1}, {300, 300})},
                       {halves({1, 1}, {45000})});
  }

  TEST_CASE("a term that is scaled by 0 is not looked at") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    check_inference_op(Gemm{.beta = 0}, {a, b, floats({2}, {nan, nan})}, {floats({1, 2}, {7, 2})});
  }
}
