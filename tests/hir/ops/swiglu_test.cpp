#include "strata/hir/ops/swiglu.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir SwiGlu") {
  TEST_CASE("the gate is a times its sigmoid") {
    // sigmoid(0) = 1/2, sigmoid(200) = 1 in f32
    check_inference_op(
        SwiGlu{}, {Value(Tensor::of<float>({2}, {0, 200})), Value(Tensor::of<float>({2}, {5, 3}))},
        {Tensor::of<float>({2}, {0, 600})});
  }

  TEST_CASE("alpha scales what is in the sigmoid") {
    check_inference_op(SwiGlu{0},
                       {Value(Tensor::of<float>({1}, {6})), Value(Tensor::of<float>({1}, {5}))},
                       {Tensor::of<float>({1}, {15})});
  }
}
