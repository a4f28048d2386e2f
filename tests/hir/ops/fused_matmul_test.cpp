#include "strata/hir/ops/fused_matmul.h"

#include <doctest/doctest.h>

#include "strata/hir/ops/biased_gelu.h"
#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir FusedMatMul") {
  const Value kA = floats({2, 2}, {1, 2, 3, 4}), kB = floats({2, 2}, {1, 10, 100, 1000});

  TEST_CASE("operands with their last axes swapped, and a factor") {
    check_inference_op(FusedMatMul{{.matrix = true}, {}, 0.5}, {kA, kB},
                       {floats({2, 2}, {150.5, 1505, 201, 2010})});
    check_inference_op(FusedMatMul{{}, {.matrix = true}, 1}, {kA, kB},
                       {floats({2, 2}, {21, 2100, 43, 4300})});
  }

  TEST_CASE("the leading axis goes behind those of the batch") {
    // Rows of two products lie side by side in [2, 2, 1].
    check_inference_op(FusedMatMul{{.batches = true}, {}, 1},
                       {floats({2, 2, 1}, {1, 2, 3, 4}), floats({2, 1, 1}, {1, 10})},
                       {floats({2, 2, 1}, {1, 3, 20, 40})});
  }
}

TEST_SUITE("hir Activated") {
  TEST_CASE("what comes behind the operands is added before the function") {
    const Activated op{InferenceOp(FusedMatMul{}), InferenceOp(BiasedGelu{}), 2};
    check_inference_op(op, {floats({1, 1}, {3}), floats({1, 1}, {2}), floats({1, 1}, {-6})},
                       {floats({1, 1}, {0})});
  }

  TEST_CASE("without a function and an addend it is the op") {
    check_inference_op(Activated{InferenceOp(FusedMatMul{}), std::nullopt, 2},
                       {floats({1, 1}, {3}), floats({1, 1}, {-2})}, {floats({1, 1}, {-6})});
  }
}
