#include "strata/hir/ops/cached_rotary_embedding.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

/// A quarter turn at position 1, none at 0 and 2.
const Value kCosines = floats({3, 1}, {1, 0, 1}), kSines = floats({3, 1}, {0, 1, 0});

TEST_SUITE("hir CachedRotaryEmbedding") {
  TEST_CASE("each step has its position") {
    check_inference_op(CachedRotaryEmbedding{},
                       {floats({1, 2, 2}, {3, 4, 5, 6}),
                        Value(Tensor::of<std::int64_t>({1, 2}, {1, 0})), kCosines, kSines},
                       {floats({1, 2, 2}, {-4, 3, 5, 6})});
  }

  TEST_CASE("one number is the position of the first step") {
    check_inference_op(CachedRotaryEmbedding{},
                       {floats({1, 2, 2}, {3, 4, 5, 6}), Value(Tensor::of<std::int64_t>({1}, {1})),
                        kCosines, kSines},
                       {floats({1, 2, 2}, {-4, 3, 5, 6})});
  }

  TEST_CASE("the cosines tell how many heads three axes hold") {
    check_inference_op(CachedRotaryEmbedding{},
                       {floats({1, 1, 4}, {1, 2, 3, 4}),
                        Value(Tensor::of<std::int64_t>({1, 1}, {1})), kCosines, kSines},
                       {floats({1, 1, 4}, {-2, 1, -4, 3})});
    const Value x = floats({1, 1, 3}, {1, 2, 3}), at = Tensor::of<std::int64_t>({1, 1}, {1});
    CHECK_THROWS_WITH_AS(
        check_inference_op(CachedRotaryEmbedding{}, {x, at, kCosines, kSines}, {Value()}),
        doctest::Contains("has no heads of 2 elements"), Error);
  }

  TEST_CASE("four axes have the heads before the steps") {
    check_inference_op(CachedRotaryEmbedding{},
                       {floats({1, 2, 1, 2}, {1, 2, 3, 4}),
                        Value(Tensor::of<std::int64_t>({1}, {1})), kCosines, kSines},
                       {floats({1, 2, 1, 2}, {-2, 1, -4, 3})});
  }
}
