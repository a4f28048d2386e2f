#include "strata/hir/ops/block_quantized_matmul.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir BlockQuantizedMatMul") {
  const Value kOnes = floats({1, 4}, {1, 1, 1, 1});

  TEST_CASE("bytes hold their elements from the low bits on") {
    // 0x21 is 1, 2 and 0xF8 is 8, 15, of which 8 is the middle: -7 - 6 and twice 0 + 7.
    BlockQuantizedMatMul op{4, 1, 4, 2};
    check_inference_op(
        op, {floats({1, 4}, {1, 1, 1, 1}), bytes({1, 2, 1}, {0x21, 0xF8}), floats({2}, {1, 2})},
        {floats({1, 1}, {-13 + 14})});
  }

  TEST_CASE("zero points are packed as the weights are") {
    // Zero points 1 and 3: 0 + 1 and twice 5 + 12.
    BlockQuantizedMatMul op{4, 1, 4, 2};
    check_inference_op(
        op, {kOnes, bytes({1, 2, 1}, {0x21, 0xF8}), floats({1, 2}, {1, 2}), bytes({1, 1}, {0x31})},
        {floats({1, 1}, {1 + 34})});
  }

  TEST_CASE("weights may have two bits or eight") {
    // 0b11100100 is 0, 1, 2, 3, of which 2 is the middle.
    check_inference_op(
        BlockQuantizedMatMul{4, 1, 2, 4},
        {floats({1, 4}, {1, 10, 100, 1000}), bytes({1, 1, 1}, {0b11100100}), floats({1}, {0.5})},
        {floats({1, 1}, {0.5F * (-2 - 10 + 1000)})});
    check_inference_op(
        BlockQuantizedMatMul{2, 2, 8, 2},
        {floats({1, 2}, {1, 10}), bytes({2, 1, 2}, {127, 129, 128, 130}), floats({2, 1}, {1, 2})},
        {floats({1, 2}, {9, 40})});
  }

  TEST_CASE("the last block may be cut, and a bias is added") {
    check_inference_op(BlockQuantizedMatMul{3, 1, 8, 2},
                       {floats({1, 3}, {1, 1, 1}), bytes({1, 2, 2}, {129, 129, 130, 99}),
                        floats({1, 2}, {1, 10}), std::nullopt, std::nullopt, floats({1}, {100})},
                       {floats({1, 1}, {122})});
  }

  TEST_CASE("rows that may be rounded are multiplied as they are by the op itself") {
    BlockQuantizedMatMul op{4, 1, 8, 2};
    op.may_round_a = true;
    check_inference_op(op,
                       {floats({1, 4}, {1, 2, 4, 8}), bytes({1, 2, 2}, {129, 129, 130, 127}),
                        floats({2}, {1, 10})},
                       {floats({1, 1}, {3 + 10 * (8 - 8)})});
  }

  TEST_CASE("zero points may be floats") {
    check_inference_op(BlockQuantizedMatMul{4, 1, 8, 2},
                       {floats({1, 4}, {1, 2, 3, 4}), bytes({1, 2, 2}, {1, 2, 3, 4}),
                        floats({1, 2}, {1, 10}), floats({1, 2}, {0.5, 1.5})},
                       {floats({1, 1}, {1 * 0.5F + 2 * 1.5F + 10 * (3 * 1.5F + 4 * 2.5F)})});
    CHECK_THROWS_WITH_AS(
        check_inference_op(BlockQuantizedMatMul{3, 1, 8, 2},
                           {floats({1, 3}, {1, 1, 1}), bytes({1, 2, 2}, {1, 2, 3, 4}),
                            floats({1, 2}, {1, 10}), floats({1, 2}, {0.5, 1.5})},
                           {Value()}),
        doctest::Contains("a last block that is not full (3 in blocks of 2)"), Error);
  }

  TEST_CASE("weights of too few bytes are refused") {
    CHECK_THROWS_WITH_AS(
        check_inference_op(BlockQuantizedMatMul{4, 1, 8, 2},
                           {kOnes, bytes({1, 1, 2}, {1, 2}), floats({1, 2}, {1, 1})}, {Value()}),
        doctest::Contains("has not 4 bytes for each of 1 rows"), Error);
  }
}
