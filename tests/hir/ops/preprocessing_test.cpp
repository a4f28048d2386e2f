#include "strata/hir/ops/preprocessing.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

const Value kRows = Tensor::of<float>({2, 2}, {3, 4, 0, 0});

}  // namespace

TEST_SUITE("hir preprocessing") {
  TEST_CASE("scaling takes the offset away first") {
    const Scaler each{Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {10, 100})};
    const Value expected = Tensor::of<float>({2, 2}, {20, 200, -10, -200});
    check_inference_op(each, {kRows}, {expected});
    check_inference_op(each, {Value(Tensor::of<std::int32_t>({2, 2}, {3, 4, 0, 0}))}, {expected});
    const Scaler all{Tensor::of<float>({1}, {1}), Tensor::of<float>({1}, {2})};
    check_inference_op(all, {kRows}, {Tensor::of<float>({2, 2}, {4, 6, -2, -2})});
  }

  TEST_CASE("one value is replaced, NaN as well") {
    const Imputer zero{Tensor::of<float>({2}, {7, 8}), Tensor::scalar(0.0F)};
    check_inference_op(zero, {kRows}, {Tensor::of<float>({2, 2}, {3, 4, 7, 8})});
    const Imputer nan{Tensor::of<float>({1}, {7}), Tensor::scalar(std::nanf(""))};
    check_inference_op(nan, {Value(Tensor::of<float>({2}, {NAN, 1}))},
                       {Tensor::of<float>({2}, {7, 1})});
    const Imputer integer{Tensor::of<std::int64_t>({1}, {7}), Tensor::scalar<std::int64_t>(-1)};
    check_inference_op(integer, {Value(Tensor::of<std::int64_t>({2}, {-1, 1}))},
                       {Tensor::of<std::int64_t>({2}, {7, 1})});
  }

  TEST_CASE("rows are normalised, those of zeros stay") {
    check_inference_op(Normalizer{NormType::max}, {kRows},
                       {Tensor::of<float>({2, 2}, {0.75, 1, 0, 0})});
    check_inference_op(Normalizer{NormType::l1}, {kRows},
                       {Tensor::of<float>({2, 2}, {3. / 7, 4. / 7, 0, 0})});
    check_inference_op(Normalizer{NormType::l2}, {kRows},
                       {Tensor::of<float>({2, 2}, {0.6, 0.8, 0, 0})});
    // The greatest element, not the greatest magnitude.
    check_inference_op(Normalizer{NormType::max}, {Value(Tensor::of<float>({2}, {-4, -2}))},
                       {Tensor::of<float>({2}, {2, 1})});
  }

  TEST_CASE("categories become places, others zeros or an error") {
    OneHotEncoder op{Tensor::of<std::int64_t>({2}, {5, 7})};
    const Value expected = Tensor::of<float>({3, 2}, {0, 1, 1, 0, 0, 0});
    check_inference_op(op, {Value(Tensor::of<std::int64_t>({3}, {7, 5, 6}))}, {expected});
    check_inference_op(op, {Value(Tensor::of<float>({3}, {7.9, 5, 6}))}, {expected});
    const OneHotEncoder text{Tensor::of<std::string>({2}, {"a", "b"})};
    check_inference_op(text, {Value(Tensor::of<std::string>({1, 1}, {"b"}))},
                       {Tensor::of<float>({1, 1, 2}, {0, 1})});
    op.unknown = UnknownCategory::fails;
    check_inference_op(op, {Value(Tensor::of<std::int64_t>({1}, {7}))},
                       {Tensor::of<float>({1, 2}, {0, 1})});
    CHECK_THROWS_WITH_AS(check_inference_op(op, {Value(Tensor::of<std::int64_t>({1}, {6}))},
                                            {Tensor::of<float>({1, 2}, {0, 0})}),
                         doctest::Contains("index 2 is outside an axis of 2"), Error);
  }

  TEST_CASE("categories by the thousand take no table of their square") {
    std::vector<std::int64_t> many(50'000);
    std::iota(many.begin(), many.end(), 0);
    for (const auto unknown : {UnknownCategory::zeros, UnknownCategory::fails}) {
      const OneHotEncoder op{Tensor::vector<std::int64_t>(std::span<const std::int64_t>(many)),
                             unknown};
      MutableTensor expected = MutableTensor::zeros(DatumType::f32, {1, 50'000});
      expected.as<float>()[123] = 1;
      check_inference_op(op, {Value(Tensor::of<std::int64_t>({1}, {123}))},
                         {std::move(expected).freeze()});
    }
  }

  TEST_CASE("features are cut and filled to their columns") {
    check_inference_op(FeatureVectorizer{{1, 3}}, {kRows, kRows},
                       {Tensor::of<float>({2, 4}, {3, 3, 4, 0, 0, 0, 0, 0})});
    check_inference_op(FeatureVectorizer{{2}}, {Value(Tensor::of<std::int64_t>({2}, {1, 2}))},
                       {Tensor::of<float>({1, 2}, {1, 2})});
  }
}
