#include "strata/hir/ops/rotary_embedding.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// One head of one step; the first pair turns by a right angle, the second not at all.
const Value kX = floats({1, 1, 1, 4}, {1, 2, 3, 4});
const Value kCosines = floats({1, 1, 2}, {0, 1});
const Value kSines = floats({1, 1, 2}, {1, 0});

}  // namespace

TEST_SUITE("hir RotaryEmbedding") {
  TEST_CASE("each element of the first half turns with that of the second") {
    check_inference_op(RotaryEmbedding{}, {kX, kCosines, kSines},
                       {floats({1, 1, 1, 4}, {-3, 2, 1, 4})});
  }

  TEST_CASE("each pair of neighbours turns") {
    RotaryEmbedding op;
    op.pairs = RotaryPairs::neighbours;
    check_inference_op(op, {kX, kCosines, kSines}, {floats({1, 1, 1, 4}, {-2, 1, 3, 4})});
  }

  TEST_CASE("positions pick the angles, and what is past the turned elements stays") {
    RotaryEmbedding op;
    op.turned = 2;
    check_inference_op(op,
                       {kX, floats({2, 1}, {1, 0}), floats({2, 1}, {0, 1}),
                        Value(Tensor::of<std::int64_t>({1, 1}, {1}))},
                       {floats({1, 1, 1, 4}, {-2, 1, 3, 4})});
  }

  TEST_CASE("three axes hold the heads in the last") {
    RotaryEmbedding op;
    op.heads = 2;
    check_inference_op(
        op, {floats({1, 1, 4}, {1, 2, 3, 4}), floats({1, 1, 1}, {0}), floats({1, 1, 1}, {1})},
        {floats({1, 1, 4}, {-2, 1, -4, 3})});
  }
}
