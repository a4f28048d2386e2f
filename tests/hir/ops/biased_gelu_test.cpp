#include "strata/hir/ops/biased_gelu.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir BiasedGelu") {
  TEST_CASE("a gelu of x plus its bias") {
    const auto gelu = [](double x) {
      return static_cast<float>(x / 2 * (1 + std::erf(x / std::sqrt(2))));
    };
    check_inference_op(BiasedGelu{}, {floats({1, 2}, {1, 2}), floats({2}, {-1, 1})},
                       {floats({1, 2}, {0, gelu(3)})});
  }

  TEST_CASE("the approximation by tanh, without a bias") {
    const auto gelu = [](double x) {
      return static_cast<float>(
          x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))));
    };
    check_inference_op(BiasedGelu{UnaryOp::gelu_tanh}, {floats({2}, {1, -2})},
                       {floats({2}, {gelu(1), gelu(-2)})});
  }
}
