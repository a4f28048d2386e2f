#include "strata/hir/ops/linear_model.h"

#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "strata/hir/inference_model.h"
#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

const Value kRows = Tensor::of<float>({2, 2}, {1, 2, -1, 0});
const Tensor kTexts = Tensor::of<std::string>({2}, {"no", "yes"});

}  // namespace

TEST_SUITE("hir linear models") {
  TEST_CASE("a regression multiplies and adds, for numbers of any type") {
    const LinearRegressor op{Tensor::of<float>({2, 2}, {1, 2, 3, 4}),
                             Tensor::of<float>({2}, {0, 10})};
    const Value expected = Tensor::of<float>({2, 2}, {5, 21, -1, 7});
    check_inference_op(op, {kRows}, {expected});
    check_inference_op(op, {Value(Tensor::of<std::int64_t>({2, 2}, {1, 2, -1, 0}))}, {expected});
    check_inference_op(op, {Value(Tensor::of<float>({2}, {1, 2}))},
                       {Tensor::of<float>({1, 2}, {5, 21})});
  }

  TEST_CASE("a vector is one row, also where its rank shows in the run alone") {
    InferenceModel model;
    InferenceFact fact;
    fact.kind = ValueType::Kind::tensor;
    fact.dtype = DatumType::f32;
    const OutletId x = model.add_source("x", fact);
    const LinearRegressor op{Tensor::of<float>({2, 2}, {1, 2, 3, 4}),
                             Tensor::of<float>({2}, {0, 10})};
    model.add_output("y", {model.add_node("y", op, {x}, {{}}), 0});
    model.analyse();
    const TypedModel typed = model.to_typed();
    CHECK(run_model(typed, ValueList{Tensor::of<float>({2}, {1, 2})})[0] ==
          Value(Tensor::of<float>({1, 2}, {5, 21})));
    CHECK(run_model(typed, ValueList{kRows})[0] ==
          Value(Tensor::of<float>({2, 2}, {5, 21, -1, 7})));
  }

  TEST_CASE("a classifier names the greatest score") {
    const LinearClassifier op{Tensor::of<float>({3, 2}, {1, 0, 0, 1, -1, 0}),
                              Tensor::of<float>({3}, {0, 0, 0}),
                              Tensor::of<std::int64_t>({3}, {5, 7, 9})};
    check_inference_op(
        op, {kRows},
        {Tensor::of<std::int64_t>({2}, {7, 9}), Tensor::of<float>({2, 3}, {1, 2, -1, -1, 0, 1})});
  }

  TEST_CASE("one score for two labels is that of the second") {
    LinearClassifier op{Tensor::of<float>({1, 2}, {1, 1}), Tensor::of<float>({1}, {0}), kTexts};
    check_inference_op(
        op, {kRows},
        {Tensor::of<std::string>({2}, {"yes", "no"}), Tensor::of<float>({2, 2}, {-3, 3, 1, -1})});
    op.transform = PostTransform::logistic;
    // 1 / (1 + exp(-3)) and 1 / (1 + exp(1))
    check_inference_op(
        op, {kRows},
        {Tensor::of<std::string>({2}, {"yes", "no"}),
         Tensor::of<float>({2, 2}, {0.04742587, 0.95257413, 0.73105858, 0.26894142})});
  }

  TEST_CASE("one score for one label has it or nothing") {
    const LinearClassifier op{Tensor::of<float>({1, 2}, {1, 1}), Tensor::of<float>({1}, {0}),
                              Tensor::of<std::int64_t>({1}, {5})};
    check_inference_op(op, {kRows},
                       {Tensor::of<std::int64_t>({2}, {5, 0}), Tensor::of<float>({2, 1}, {3, -1})});
  }
}
