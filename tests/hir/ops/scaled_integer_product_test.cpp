#include "strata/hir/ops/scaled_integer_product.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir MatMulIntegerToFloat") {
  TEST_CASE("columns have their scales and zero points") {
    // (2 - 1, 4 - 1) by (1, 2) less 1 and (3, 5) less 2: 3 and 10.
    check_inference_op(
        MatMulIntegerToFloat{},
        {bytes({1, 2}, {2, 4}), bytes({2, 2}, {1, 3, 2, 5}), floats({1}, {0.5}),
         floats({2}, {2, 4}), bytes({}, {1}), bytes({2}, {1, 2}), floats({2}, {10, 20})},
        {floats({1, 2}, {3 + 10, 20 + 20})});
  }

  TEST_CASE("zero points and bias may be left out") {
    check_inference_op(
        MatMulIntegerToFloat{},
        {bytes({1, 2}, {2, 4}), bytes({2, 1}, {1, 3}), floats({}, {0.5}), floats({}, {2})},
        {floats({1, 1}, {14})});
  }
}

TEST_SUITE("hir DynamicQuantizeMatMul") {
  TEST_CASE("bytes that hold the floats exactly give their product") {
    // From 0 to 255 the scale is 1.
    check_inference_op(DynamicQuantizeMatMul{},
                       {floats({1, 2}, {255, 7}), bytes({2, 1}, {3, 5}), floats({}, {0.5}),
                        bytes({}, {1}), floats({1}, {0.25})},
                       {floats({1, 1}, {255 + 14 + 0.25F})});
  }
}

TEST_SUITE("hir QuantizedGemm") {
  const Value kA = bytes({1, 2}, {2, 4}), kB = bytes({2, 2}, {1, 3, 2, 5});

  TEST_CASE("C is in units of the product") {
    check_inference_op(QuantizedGemm{0.5},
                       {kA, floats({}, {0.5}), bytes({}, {1}), kB, floats({2}, {2, 4}),
                        bytes({2}, {1, 2}), Value(Tensor::of<std::int32_t>({2}, {100, 200}))},
                       {floats({1, 2}, {103 * 0.5F, 210 * 1})});
  }

  TEST_CASE("a transposed matrix, whose rows have zero points, and a quantised result") {
    // (1, 3) by (1, 3) less 1 and (2, 5) less 2: 6 and 9, halved, from 100 on.
    check_inference_op(QuantizedGemm{1, false, true},
                       {kA, floats({}, {1}), bytes({}, {1}), kB, floats({}, {1}),
                        bytes({2}, {1, 2}), std::nullopt, floats({}, {0.5}), bytes({}, {100})},
                       {bytes({1, 2}, {112, 118})});
  }
}
