#include <doctest/doctest.h>

#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

Loop running_sum_loop(const std::shared_ptr<SymbolScope>& symbols) {
  Loop loop;
  loop.body = running_sum_body(symbols);
  loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::invariant}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, kStacked};
  loop.has_trip_count = true;
  return loop;
}

/// A loop of M trips, its condition always that at its start.
TypedModel conditional(bool begins) {
  TypedModel body;
  const OutletId go_on = body.add_source("go_on", Fact::tensor(DatumType::boolean, Shape{})),
                 sum = body.add_source("sum", float_fact(Shape{1}));
  const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {sum, sum});
  body.add_output("stop", body.constant("false", Tensor::scalar(false)));
  body.add_output("sum_on", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 1}, kStacked};
  loop.condition = 0;
  static_cast<void>(go_on);
  return model_of(loop, {Fact::of(Tensor::scalar(begins)), float_fact(Shape{1})}, {0, 1});
}

}  // namespace

TEST_SUITE("zero trip loop") {
  TEST_CASE("no trips, or fewer, give the initial value and an empty stack") {
    for (const std::int64_t trips : {0, -3}) {
      const Fact one = float_fact(Shape{1});
      TypedModel model = model_of(running_sum_loop(std::make_shared<SymbolScope>()),
                                  {Fact::of(integer(trips)), one, one}, {0, 1});
      CHECK(declutter_and_compare(model, {floats({10}), floats({5})}, "zero_trip_loop") == 1);
      CHECK(loop_of(model) == nullptr);
      const ValueList out = run_model(model, ValueList{floats({10}), floats({5})});
      check_close(out[0], floats({10}));
      check_close(out[1], floats({}));
    }
  }

  TEST_CASE("a loop whose condition begins false does not run") {
    TypedModel model = conditional(false);
    CHECK(declutter_and_compare(model, {floats({10})}, "zero_trip_loop") == 1);
    CHECK(loop_of(model) == nullptr);
  }

  TEST_CASE("a loop whose condition begins true stays") {
    TypedModel model = conditional(true);
    CHECK(declutter_and_compare(model, {floats({10})}, "zero_trip_loop") == 0);
  }

  TEST_CASE("one trip is a trip") {
    const Fact one = float_fact(Shape{1});
    TypedModel model = model_of(running_sum_loop(std::make_shared<SymbolScope>()),
                                {Fact::of(integer(1)), one, one}, {0, 1});
    CHECK(declutter_and_compare(model, {floats({10}), floats({5})}, "zero_trip_loop") == 0);
  }
}
