#include <doctest/doctest.h>

#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// sum + factor * x, stacked.
TypedModel scaled_sums(const Fact& factor_fact) {
  TypedModel body;
  const Fact one = float_fact(Shape{1});
  const OutletId factor = body.add_source("factor", one), sum = body.add_source("sum", one),
                 x = body.add_source("x", one);
  const OutletId next =
      body.wire_one("next", Binary{BinaryOp::add},
                    {sum, body.wire_one("scaled", Binary{BinaryOp::mul}, {factor, x})});
  body.add_output("sum_on", next);
  body.add_output("row", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::invariant}, {LoopInput::Kind::carried}, kScanned};
  loop.outputs = {{LoopOutput::Kind::stacked, 1, 0}};
  return model_of(loop, {factor_fact, one, float_fact(Shape{3})}, {0});
}

}  // namespace

TEST_SUITE("move constants in") {
  TEST_CASE("a constant invariant becomes a constant of the body") {
    TypedModel model = scaled_sums(Fact::of(floats({10})));
    CHECK(declutter_and_compare(model, {floats({5}), floats({1, 2, 3})}, "move_constants_in") == 1);
    REQUIRE(loop_of(model) != nullptr);
    CHECK(loop_of(model)->inputs.size() == 2);
  }

  TEST_CASE("an invariant that the caller gives stays") {
    TypedModel model = scaled_sums(float_fact(Shape{1}));
    CHECK(declutter_and_compare(model, {floats({10}), floats({5}), floats({1, 2, 3})},
                                "move_constants_in") == 0);
  }
}
