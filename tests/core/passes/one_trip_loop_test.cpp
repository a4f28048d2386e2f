#include <doctest/doctest.h>

#include "strata/core/ops/cast.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Kind = LoopInput::Kind;

/// sum = sum + x + number of the iteration, stacked along axis 0, for slices x of f32[chunk].
Loop numbered_sum(std::int64_t chunk, bool is_reversed) {
  TypedModel body;
  const Fact slice = float_fact(Shape{chunk});
  const OutletId n = body.add_source("n", Fact::tensor(DatumType::i64, Shape{})),
                 sum = body.add_source("sum", slice), x = body.add_source("x", slice);
  const OutletId number = body.wire_one("number", Cast{DatumType::f32}, {n});
  const OutletId more = body.wire_one("more", Binary{BinaryOp::add}, {sum, x});
  const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {more, number});
  body.add_output("sum_on", next);
  body.add_output("part", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{Kind::carried}, {Kind::scanned, 0, chunk, is_reversed}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1, 0, is_reversed}};
  loop.numbered = true;
  return loop;
}

}  // namespace

TEST_SUITE("one trip loop") {
  TEST_CASE("the body of a loop of one slice stands for it") {
    for (const bool is_reversed : {false, true}) {
      TypedModel model = model_of(numbered_sum(2, is_reversed),
                                  {float_fact(Shape{2}), float_fact(Shape{2})}, {0, 1});
      const ValueList inputs{floats({10, 20}), floats({1, 2})};
      CHECK(firings_of(model, {inputs}, "one_trip_loop") == 1);
      CHECK(loop_of(model) == nullptr);
      const ValueList out = run_model(model, inputs);
      check_close(out[0], floats({11, 22}));
      check_close(out[1], floats({11, 22}));
    }
  }

  TEST_CASE("a trip count of one leaves the other slices alone") {
    for (const bool is_reversed : {false, true}) {
      Loop loop = numbered_sum(1, is_reversed);
      loop.has_trip_count = true;
      TypedModel model = model_of(
          loop, {Fact::of(integer(1)), float_fact(Shape{1}), float_fact(Shape{3})}, {0, 1});
      const ValueList inputs{floats({10}), floats({1, 2, 3})};
      CHECK(firings_of(model, {inputs}, "one_trip_loop") == 1);
      CHECK(loop_of(model) == nullptr);
      check_close(run_model(model, inputs)[0], floats({11}));
    }
  }

  TEST_CASE("two trips, and trips that are not known, stay a loop") {
    for (const Dim& extent : {Dim(2), Dim::symbol("T")}) {
      TypedModel model =
          model_of(numbered_sum(1, false),
                   {float_fact(Shape{1}), float_fact(std::vector<Dim>{extent})}, {0, 1});
      CHECK(firings_of(model, {{floats({10}), floats({1, 2})}}, "one_trip_loop") == 0);
      CHECK(loop_of(model) != nullptr);
    }
  }

  TEST_CASE("a loop that a condition may end before its one trip stays") {
    TypedModel body;
    const Fact truth = Fact::tensor(DatumType::boolean, Shape{});
    const OutletId go_on = body.add_source("go_on", truth),
                   sum = body.add_source("sum", float_fact(Shape{1})),
                   x = body.add_source("x", float_fact(Shape{1}));
    body.add_output("go_on_on", go_on);
    body.add_output("sum_on", body.wire_one("next", Binary{BinaryOp::add}, {sum, x}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::carried}, kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 1}};
    loop.condition = 0;
    TypedModel model = model_of(loop, {truth, float_fact(Shape{1}), float_fact(Shape{1})}, {0});
    CHECK(firings_of(model,
                     {{Tensor::scalar(true), floats({10}), floats({1})},
                      {Tensor::scalar(false), floats({10}), floats({1})}},
                     "one_trip_loop") == 0);
    CHECK(loop_of(model) != nullptr);
  }
}
