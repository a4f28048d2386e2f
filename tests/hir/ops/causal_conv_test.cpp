#include "strata/hir/ops/causal_conv.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

const Value kX = floats({1, 1, 3}, {1, 2, 3});
const Value kKernel = floats({1, 1, 2}, {10, 1});

}  // namespace

TEST_SUITE("hir CausalConv") {
  TEST_CASE("before the first step are zeros") {
    check_inference_op(CausalConv{}, {kX, kKernel},
                       {floats({1, 1, 3}, {1, 12, 23}), floats({1, 1, 1}, {3})});
  }

  TEST_CASE("earlier steps and a bias count") {
    check_inference_op(CausalConv{}, {kX, kKernel, floats({1}, {100}), floats({1, 1, 1}, {5})},
                       {floats({1, 1, 3}, {151, 112, 123}), floats({1, 1, 1}, {3})});
  }

  TEST_CASE("steps fewer than the kernel keep some of the state") {
    check_inference_op(CausalConv{},
                       {floats({1, 1, 1}, {3}), floats({1, 1, 3}, {100, 10, 1}), std::nullopt,
                        floats({1, 1, 2}, {1, 2})},
                       {floats({1, 1, 1}, {123}), floats({1, 1, 2}, {2, 3})});
  }
}
