#include "strata/hir/ops/gather_block_quantized.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

const Value kScales = floats({2, 2}, {1, 10, 2, 20});
const Value kRows = Tensor::of<std::int64_t>({1, 2}, {1, 0});

}  // namespace

TEST_SUITE("hir GatherBlockQuantized") {
  TEST_CASE("two elements a byte, the low one first, less the middle of the range") {
    // Row 0 is 1, 2, 8, 15, row 1 is 0, 8, 9, 10.
    check_inference_op(GatherBlockQuantized{4, 2},
                       {bytes({2, 2}, {0x21, 0xF8, 0x80, 0xA9}), kRows, kScales},
                       {floats({1, 2, 4}, {-16, 0, 20, 40, -7, -6, 0, 70})});
  }

  TEST_CASE("zero points of the blocks, which are packed too") {
    // Zero points 1 and 3 of row 0, 2 and 4 of row 1.
    check_inference_op(
        GatherBlockQuantized{4, 2},
        {bytes({2, 2}, {0x21, 0xF8, 0x80, 0xA9}), kRows, kScales, bytes({2, 1}, {0x31, 0x42})},
        {floats({1, 2, 4}, {-4, 12, 100, 120, 0, 1, 50, 120})});
  }

  TEST_CASE("elements of eight bits are looked up byte by byte") {
    check_inference_op(GatherBlockQuantized{8, 1},
                       {bytes({2, 2}, {128, 129, 130, 126}), kRows, kScales},
                       {floats({1, 2, 2}, {4, -40, 0, 10})});
  }

  TEST_CASE("a table of signed elements has no zero points of its own") {
    const Value table = packed(Tensor::of<std::int8_t>({2, 2}, {-8, 7, 1, 2}), DatumType::i4);
    check_inference_op(GatherBlockQuantized{4, 1}, {table, kRows, kScales},
                       {floats({1, 2, 2}, {2, 40, -8, 70})});
  }

  TEST_CASE("a table of three axes is refused") {
    CHECK_THROWS_WITH_AS(
        check_inference_op(GatherBlockQuantized{8, 1},
                           {bytes({2, 1, 1}, {1, 2}), kRows, floats({2, 1, 1}, {1, 1})}, {Value()}),
        doctest::Contains("a table of shape [2,1,1] is not supported"), Error);
  }
}
