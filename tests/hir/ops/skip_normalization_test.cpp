#include "strata/hir/ops/skip_normalization.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir SkipNormalization") {
  TEST_CASE("the sum of x, skip and bias is normalised, and shown with its mean") {
    // 1 + 2 + 0 and 4 + 4 + 1 have mean 6 and deviation 3.
    SkipNormalization op;
    op.epsilon = 0;
    check_inference_op(op,
                       {floats({1, 1, 2}, {1, 4}), floats({1, 2}, {2, 4}), floats({2}, {10, 20}),
                        floats({2}, {1, 2}), floats({2}, {0, 1})},
                       {floats({1, 1, 2}, {-9, 22}), floats({1, 1, 1}, {6}),
                        floats({1, 1, 1}, {1.0F / 3}), floats({1, 1, 2}, {3, 9})});
  }

  TEST_CASE("a bias without a beta") {
    SkipNormalization op;
    op.epsilon = 0;
    check_inference_op(op,
                       {floats({1, 2}, {1, 4}), floats({1, 2}, {2, 4}), floats({2}, {10, 20}),
                        std::nullopt, floats({2}, {0, 1})},
                       {floats({1, 2}, {-10, 20})});
  }

  TEST_CASE("the root of the mean square") {
    // The mean of 7^2 and 1^2 is 25.
    SkipNormalization op{SkipNorm::rms, 0};
    check_inference_op(op,
                       {floats({1, 2}, {3, 1}), floats({1, 2}, {3, 0}), floats({2}, {10, 20}),
                        floats({2}, {1, 0})},
                       {floats({1, 2}, {14, 4})});
  }
}

TEST_SUITE("hir EmbedLayerNormalization") {
  const Value kIds = Tensor::of<std::int32_t>({1, 2}, {1, 0});
  const Value kWords = floats({2, 2}, {0, 1, 2, 5}), kPlaces = floats({3, 2}, {1, 2, 0, 5, 9, 9});
  const Value kGamma = floats({2}, {1, 10}), kBeta = floats({2}, {0, 1});

  TEST_CASE("words and the first positions, whose sum is normalised") {
    check_inference_op(EmbedLayerNormalization{0},
                       {kIds, std::nullopt, kWords, kPlaces, std::nullopt, kGamma, kBeta},
                       {floats({1, 2, 2}, {-1, 11, -1, 11}), Tensor::of<std::int32_t>({1}, {0}),
                        floats({1, 2, 2}, {3, 7, 0, 6})});
  }

  TEST_CASE("segments, positions that are asked for, and a mask") {
    const Value kinds = Tensor::of<std::int32_t>({1, 2}, {0, 1});
    check_inference_op(EmbedLayerNormalization{0},
                       {kIds, kinds, kWords, kPlaces, floats({2, 2}, {1, 1, 4, 0}), kGamma, kBeta,
                        Value(Tensor::of<std::int32_t>({1, 2}, {1, 0})),
                        Value(Tensor::of<std::int32_t>({1, 2}, {1, 2}))},
                       {floats({1, 2, 2}, {-1, 11, 1, -9}), Tensor::of<std::int32_t>({1}, {1}),
                        floats({1, 2, 2}, {3, 11, 13, 10})});
  }

  TEST_CASE("segments without their table are refused") {
    CHECK_THROWS_WITH_AS(
        check_inference_op(EmbedLayerNormalization{},
                           {kIds, kIds, kWords, kPlaces, std::nullopt, kGamma, kBeta}, {Value()}),
        doctest::Contains("come only together"), Error);
  }
}
