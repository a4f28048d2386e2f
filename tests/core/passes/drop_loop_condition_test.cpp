#include <doctest/doctest.h>

#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

enum class Next { same, always_true, input };

/// Over f32[3]: a carried condition and a sum. The condition goes on as `next` says.
TypedModel conditional_sum(const Fact& condition, Next next) {
  TypedModel body;
  const Fact flag = Fact::tensor(DatumType::boolean, Shape{});
  const OutletId go = body.add_source("go", flag),
                 sum = body.add_source("sum", float_fact(Shape{1}));
  const OutletId x = body.add_source("x", float_fact(Shape{1})),
                 other = body.add_source("other", flag);
  body.add_output("go_on", next == Next::same    ? go
                           : next == Next::input ? other
                                                 : body.constant("true", Tensor::scalar(true)));
  body.add_output("sum_on", body.wire_one("add", Binary{BinaryOp::add}, {sum, x}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried},
                 {LoopInput::Kind::carried},
                 kScanned,
                 {LoopInput::Kind::invariant}};
  loop.outputs = {{LoopOutput::Kind::last, 1}, {LoopOutput::Kind::last, 0}};
  loop.condition = 0;
  return model_of(loop, {condition, float_fact(Shape{1}), float_fact(Shape{3}), flag}, {0, 1});
}

const Fact kTrue = Fact::of(Tensor::scalar(true));
const ValueList kInputs{floats({10}), floats({1, 2, 3}), Tensor::scalar(true)};

}  // namespace

TEST_SUITE("drop loop condition") {
  TEST_CASE("a condition that stays true goes") {
    for (const Next next : {Next::same, Next::always_true}) {
      TypedModel model = conditional_sum(kTrue, next);
      CHECK(declutter_and_compare(model, kInputs, "drop_loop_condition") == 1);
      REQUIRE(loop_of(model) != nullptr);
      CHECK_FALSE(loop_of(model)->condition);
    }
  }

  TEST_CASE("a condition that may become false stays") {
    TypedModel model = conditional_sum(kTrue, Next::input);
    CHECK(declutter_and_compare(model, kInputs, "drop_loop_condition") == 0);
  }

  TEST_CASE("a condition that may begin false stays") {
    TypedModel model = conditional_sum(kTrue.without_value(), Next::always_true);
    ValueList inputs = kInputs;
    inputs.insert(inputs.begin(), Tensor::scalar(false));
    CHECK(declutter_and_compare(model, inputs, "drop_loop_condition") == 0);
  }

  TEST_CASE("a condition that stays true but changes its shape is carried on") {
    const Fact flag = Fact::tensor(DatumType::boolean, ShapeFact::open());
    TypedModel body;
    const OutletId go = body.add_source("go", flag);
    body.add_source("went", flag);
    body.add_source("row", float_fact(Shape{1}));
    body.add_output("go_on", body.constant("true", Tensor::of<bool>({1}, {true})));
    body.add_output("go_before", go);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::carried}, kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 1}};
    loop.condition = 0;
    TypedModel model = model_of(loop, {kTrue, flag, float_fact(Shape{3})}, {0});
    const ValueList inputs{Tensor::scalar(false), floats({1, 2, 3})};
    CHECK(declutter_and_compare(model, inputs, "drop_loop_condition") == 1);
    CHECK((run_model(model, inputs)[0].tensor() == Tensor::of<bool>({1}, {true})));
  }
}
