#include "strata/hir/ops/flex_attention.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir FlexAttention") {
  TEST_CASE("equal products average the values") {
    check_inference_op(FlexAttention{},
                       {Value(Tensor::of<float>({1, 2, 1, 1}, {0, 0})),
                        Value(Tensor::of<float>({1, 1, 2, 1}, {5, 7})),
                        Value(Tensor::of<float>({1, 1, 2, 1}, {2, 4}))},
                       {Tensor::of<float>({1, 2, 1, 1}, {3, 3})});
  }
}
