#include "strata/hir/ops/feature.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir features") {
  TEST_CASE("elements of the last axis are picked, of a vector as of one row") {
    const Value places = Tensor::of<std::int64_t>({1, 2}, {2, 0});
    check_inference_op(ArrayFeatureExtractor{},
                       {Value(Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})), places},
                       {Tensor::of<float>({2, 2}, {3, 1, 6, 4})});
    check_inference_op(ArrayFeatureExtractor{}, {Value(Tensor::of<float>({3}, {1, 2, 3})), places},
                       {Tensor::of<float>({1, 2}, {3, 1})});
  }

  TEST_CASE("what is above the threshold becomes 1") {
    check_inference_op(Binarizer{1.5}, {Value(Tensor::of<float>({3}, {1, 1.5, 2}))},
                       {Tensor::of<float>({3}, {0, 0, 1})});
    check_inference_op(Binarizer{-1.5}, {Value(Tensor::of<std::int32_t>({2}, {-2, -1}))},
                       {Tensor::of<std::int32_t>({2}, {0, 1})});
  }
}
