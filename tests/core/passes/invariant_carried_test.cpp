#include <doctest/doctest.h>

#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("invariant carried") {
  TEST_CASE(
      "a carried value that is passed on as it is becomes an invariant, and its last value the "
      "first") {
    TypedModel body;
    const Fact one = float_fact(Shape{1});
    const OutletId step = body.add_source("step", one), sum = body.add_source("sum", one),
                   x = body.add_source("x", one);
    const OutletId next =
        body.wire_one("next", Binary{BinaryOp::add},
                      {x, body.wire_one("scaled", Binary{BinaryOp::mul}, {step, sum})});
    body.add_output("step_on", step);
    body.add_output("sum_on", next);
    body.add_output("row", next);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::carried}, kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 0},
                    {LoopOutput::Kind::last, 1},
                    {LoopOutput::Kind::stacked, 2, 0}};
    TypedModel model = model_of(loop, {one, one, float_fact(Shape{3})}, {0, 1, 2});
    CHECK(declutter_and_compare(model, {floats({10}), floats({5}), floats({1, 2, 3})},
                                "invariant_carried") == 1);
    REQUIRE(loop_of(model) != nullptr);
    CHECK(loop_of(model)->inputs[0].kind == LoopInput::Kind::invariant);
    CHECK(loop_of(model)->outputs.size() == 2);
  }

  TEST_CASE("carried values that change places stay") {
    TypedModel body;
    const Fact one = float_fact(Shape{1});
    const OutletId a = body.add_source("a", one), b = body.add_source("b", one);
    body.add_source("x", one);
    body.add_output("a_on", b);
    body.add_output("b_on", a);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::carried}, kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::last, 1}};
    TypedModel model = model_of(loop, {one, one, float_fact(Shape{3})}, {0, 1});
    CHECK(declutter_and_compare(model, {floats({1}), floats({2}), floats({0, 0, 0})},
                                "invariant_carried") == 0);
  }
}
