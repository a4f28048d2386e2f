#include "strata/core/ops/dropout.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

const Fact kX = Fact::tensor(DatumType::f32, Shape{4}),
           kRatio = Fact::tensor(DatumType::f32, Shape{}),
           kTraining = Fact::tensor(DatumType::boolean, Shape{});

}  // namespace

TEST_SUITE("dropout") {
  TEST_CASE("outside of training, and at ratio 0, all elements pass") {
    const Tensor x = Tensor::of<float>({2}, {1, 2}), all = Tensor::of<bool>({2}, {true, true});
    check_op(Dropout{}, {x, Tensor::scalar(0.5F), Tensor::scalar(false)}, {x, all});
    check_op(Dropout{}, {x, Tensor::scalar(0.0F), Tensor::scalar(true)}, {x, all});
  }

  TEST_CASE(
      "in training about that share is zeroed, the others are scaled, and a seed repeats it") {
    constexpr std::int64_t kCount = 10000;
    MutableTensor ones(DatumType::f32, {kCount});
    std::ranges::fill(ones.as<float>(), 3.0F);
    const ValueList in{std::move(ones).freeze(), Tensor::scalar(0.25F), Tensor::scalar(true)};
    const ValueList out = TypedOp(Dropout{7}).eval(in);
    const auto y = out[0].tensor().as<float>();
    const auto mask = out[1].tensor().as<bool>();
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == (mask[i] ? 4.0F : 0.0F));
    // 7500 +- 6 standard deviations of 43.3
    const auto kept = std::ranges::count(mask, true);
    CHECK(kept > 7240);
    CHECK(kept < 7760);
    CHECK((out == TypedOp(Dropout{7}).eval(in)));
    CHECK_FALSE((out == TypedOp(Dropout{8}).eval(in)));
  }

  TEST_CASE("a dropout that is known to pass all is bypassed") {
    TypedModel model;
    const OutletId x = model.add_source("x", kX), ratio = model.add_source("ratio", kRatio);
    const OutletIds out =
        model.wire("y", Dropout{}, {x, ratio, model.constant("t", Tensor::scalar(false))});
    model.add_output("y", out[0]);
    const NodeView node{model, out[0].node};
    Rewrite rewrite = node.op().declutter(node);
    REQUIRE(rewrite.has_value());
    rewrite->apply(model);
    CHECK((model.outputs()[0].outlet == x));
  }

  TEST_CASE("dropout_c1: one input") {
    CHECK_THROWS_WITH_AS(facts_of(Dropout{}, {kX}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("dropout_c2: training given as a number") {
    CHECK_THROWS_WITH_AS(facts_of(Dropout{}, {kX, kRatio, kRatio}), doctest::Contains("(C2)"),
                         Error);
  }

  TEST_CASE("dropout_c3: several ratios") {
    CHECK_THROWS_WITH_AS(facts_of(Dropout{}, {kX, kX, kTraining}), doctest::Contains("(C3)"),
                         Error);
  }

  TEST_CASE("dropout_c4: a ratio of 1") {
    const ValueList in{Tensor::scalar(1.0F), Tensor::scalar(1.0F), Tensor::scalar(true)};
    CHECK_THROWS_WITH_AS(TypedOp(Dropout{}).eval(in), doctest::Contains("(C4)"), Error);
  }
}
