#include <doctest/doctest.h>

#include <numeric>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/unary.h"
#include "support/allocations.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr LoopInput kCarried{LoopInput::Kind::carried};
const Fact kFlag = Fact::tensor(DatumType::boolean, Shape{});

Body shared(TypedModel body) { return std::make_shared<TypedModel>(std::move(body)); }

OutletId sum_of(TypedModel& model, std::string_view name, OutletId a, OutletId b) {
  return model.wire_one(name, Binary{BinaryOp::add}, {a, b});
}

/// Allocations of a run on `inputs` by a session that has run twice before.
std::size_t allocations_of(TypedModel model, const ValueList& inputs) {
  optimise(model);
  Session session(Plan::build(std::move(model)));
  (void)session.run(inputs);
  (void)session.run(inputs);
  const std::size_t before = allocations();
  (void)session.run(inputs);
  return allocations() - before;
}

Tensor counting(std::int64_t count) {
  MutableTensor out(DatumType::f32, {count});
  std::iota(out.as<float>().begin(), out.as<float>().end(), 0.0F);
  return std::move(out).freeze();
}

/// a' = a + 1 while b' = a, c' = b: what is carried is handed on for two more iterations.
TypedModel delay_line(std::int64_t trips) {
  TypedModel body;
  const OutletId a = body.add_source("a", float_fact(Shape{1})),
                 b = body.add_source("b", float_fact(Shape{1}));
  body.add_source("c", float_fact(Shape{1}));
  const OutletId one = body.constant("one", floats({1}));
  body.add_output("a_on", sum_of(body, "next", a, one));
  body.add_output("b_on", a);
  body.add_output("c_on", b);
  Loop loop;
  loop.body = shared(std::move(body));
  loop.inputs = {kCarried, kCarried, kCarried};
  loop.outputs = {{LoopOutput::Kind::last, 0},
                  {LoopOutput::Kind::last, 1},
                  {LoopOutput::Kind::last, 2},
                  {LoopOutput::Kind::stacked, 2, 0, false}};
  loop.has_trip_count = true;
  const Fact state = float_fact(Shape{1});
  return model_of(loop, {Fact::of(integer(trips)), state, state, state}, {0, 1, 2, 3});
}

const Fact kHalf = float_fact(std::vector<Dim>{floor_div(Dim::symbol("N") + 1, 2)});

/// `times` times x' = x + x, for half of a size N that no body sees.
Loop doubling(TypedModel body, std::int64_t times) {
  const OutletId x = body.add_source("x", kHalf);
  Loop loop;
  if (times == 1) {
    body.add_output("x_on", sum_of(body, "sum", x, x));
  } else {
    const Loop inner = doubling(TypedModel(body.symbol_scope()), 1);
    body.add_output("x_on",
                    body.wire_one("inner", inner, {body.constant("times", integer(times)), x}));
  }
  loop.body = shared(std::move(body));
  loop.inputs = {kCarried};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  loop.has_trip_count = true;
  return loop;
}

/// A body of (go_on, x) whose x grows by one until it is `limit`; x is stacked.
Loop counting_while(float limit) {
  TypedModel body;
  body.add_source("go_on", kFlag);
  const OutletId x = body.add_source("x", float_fact(Shape{}));
  const OutletId next =
      body.wire_one("next", Binary{BinaryOp::add}, {x, body.constant("one", Tensor::scalar(1.0F))});
  body.add_output("go_on_on", body.wire_one("below", Binary{BinaryOp::less},
                                            {next, body.constant("limit", Tensor::scalar(limit))}));
  body.add_output("x_on", next);
  body.add_output("row", body.wire_one("row", Binary{BinaryOp::mul},
                                       {next, body.constant("ones", floats({1, 1}))}));
  Loop loop;
  loop.body = shared(std::move(body));
  loop.inputs = {kCarried, kCarried};
  loop.outputs = {{LoopOutput::Kind::last, 1}, {LoopOutput::Kind::stacked, 2, 0, false}};
  loop.condition = 0;
  return loop;
}

/// xs grows each iteration by the last of the scanned values; `stacked` is what is stacked.
TypedModel growing(std::int64_t stacked, std::size_t parts) {
  TypedModel body;
  const OutletId xs = body.add_source("xs", float_fact(std::vector<Dim>{Dim::symbol("n"), Dim(2)}));
  const OutletId x = body.add_source("x", float_fact(Shape{1, 2}));
  body.add_output("xs_on", body.wire_one("joined", Concat{0}, {xs, x}));
  Loop loop;
  loop.body = shared(std::move(body));
  loop.inputs = {kCarried, kScanned};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  if (stacked == 0) loop.outputs.push_back({LoopOutput::Kind::stacked, 0, 0, false});
  const Fact start = float_fact(std::vector<Dim>{Dim::symbol("start"), Dim(2)});
  std::vector<std::size_t> read(loop.outputs.size());
  std::iota(read.begin(), read.end(), 0);
  return model_of(loop, {start, float_fact(Shape{static_cast<std::int64_t>(parts), 2})}, read);
}

/// Allocations of one run after some others have taken the memory they need.
std::size_t allocations_of_warm(TypedModel model, const ValueList& inputs) {
  optimise(model);
  Session session(Plan::build(std::move(model), Limits{.unroll_trips = 0}));
  for (int run = 0; run < 5; ++run) (void)session.run(inputs);
  const std::size_t before = allocations();
  (void)session.run(inputs);
  return allocations() - before;
}

}  // namespace

TEST_SUITE("running loops") {
  TEST_CASE("a value of another rank than the body takes is refused") {
    TypedModel body;
    const Fact image = float_fact(std::vector<Dim>{Dim::symbol("H"), Dim::symbol("W")});
    const OutletId x = body.add_source("x", image);
    body.add_output("next", body.wire_one("tanh", Unary{UnaryOp::tanh}, {x}));
    Loop loop;
    loop.body = shared(std::move(body));
    loop.inputs = {kCarried};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    loop.has_trip_count = true;
    TypedModel model = model_of(
        loop, {Fact::of(integer(2)), Fact::tensor(DatumType::f32, ShapeFact::open())}, {0});
    Session session(Plan::build(model));
    try {
      (void)session.run(ValueList{floats({1, 2, 3})});
      FAIL("run");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::run_time);
      CHECK(error.message() == "input \"x\" is f32[H,W], f32[3] given");
    }
    CHECK_NOTHROW(run_model(model, ValueList{floats({1, 2, 3, 4}).reshaped({2, 2})}));
  }

  TEST_CASE("iterations of a static body allocate nothing") {
    const auto sums = [](std::int64_t trips) {
      return allocations_of(running_sum_model(Shape{trips}, kScanned, kStacked),
                            {floats({0}), counting(trips)});
    };
    CHECK(sums(2000) == sums(1000));
    const auto delayed = [](std::int64_t trips) {
      return allocations_of(delay_line(trips), {floats({0}), floats({0}), floats({0})});
    };
    CHECK(delayed(2000) == delayed(1000));
  }

  TEST_CASE("iterations of a loop in a loop allocate nothing, and neither does an If in it") {
    const auto nested = [](std::int64_t trips) {
      TypedModel body;
      const OutletId start = body.add_source("start", float_fact(Shape{1})),
                     xs = body.add_source("xs", float_fact(Shape{3})),
                     go = body.add_source("go", kFlag);
      Loop inner;
      inner.body = running_sum_body(body.symbol_scope());
      inner.inputs = {kCarried, kScanned};
      inner.outputs = {{LoopOutput::Kind::last, 0}};
      const OutletId total = body.wire_one("inner", inner, {start, xs});
      TypedModel then_body(body.symbol_scope()), else_body(body.symbol_scope());
      const OutletId a = then_body.add_source("a", float_fact(Shape{1})),
                     b = else_body.add_source("b", float_fact(Shape{1}));
      then_body.add_output("a", a);
      else_body.add_output("b", sum_of(else_body, "twice", b, b));
      If branch{shared(std::move(then_body)), shared(std::move(else_body))};
      body.add_output("on", body.wire_one("branch", branch, {go, total}));
      Loop loop;
      loop.body = shared(std::move(body));
      loop.inputs = {kCarried, {LoopInput::Kind::invariant}, {LoopInput::Kind::invariant}};
      loop.outputs = {{LoopOutput::Kind::last, 0}};
      loop.has_trip_count = true;
      return allocations_of(
          model_of(loop,
                   {Fact::of(integer(trips)), float_fact(Shape{1}), float_fact(Shape{3}), kFlag},
                   {0}),
          {floats({0}), floats({1, 2, 3}), Tensor::scalar(true)});
    };
    CHECK(nested(2000) == nested(1000));
  }

  TEST_CASE("nor do those of a body whose sizes are expressions of symbols it never sees") {
    for (const std::int64_t times : {1, 3}) {
      const auto doubled = [&](std::int64_t trips) {
        return allocations_of(
            model_of(doubling(TypedModel(), times), {Fact::of(integer(trips)), kHalf}, {0}),
            {floats({1, -2, 3})});
      };
      CHECK(doubled(200) == doubled(100));
    }
    const ValueList out =
        run_model(model_of(doubling(TypedModel(), 3), {Fact::of(integer(2)), kHalf}, {0}),
                  ValueList{floats({1, -2, 3})});
    CHECK((out[0] == Value(floats({64, -128, 192}))));
  }

  TEST_CASE("a stack of unknown length grows geometrically") {
    const auto grown = [](float limit) {
      return allocations_of(model_of(counting_while(limit), {kFlag, float_fact(Shape{})}, {0, 1}),
                            {Tensor::scalar(true), Tensor::scalar(0.0F)});
    };
    CHECK(grown(4000) <= grown(1000) + 4 * 2);  // two doublings
  }

  TEST_CASE("carried values that are handed on keep their content") {
    const ValueList out =
        run_model(delay_line(5), ValueList{floats({10}), floats({20}), floats({30})});
    CHECK((out[0] == Value(floats({15}))));
    CHECK((out[1] == Value(floats({14}))));
    CHECK((out[2] == Value(floats({13}))));
    CHECK((out[3] == Value(floats({20, 10, 11, 12, 13}))));
  }

  TEST_CASE("a carried tensor that grows is appended to in place") {
    const std::int64_t trips = 300;
    TypedModel model = growing(-1, static_cast<std::size_t>(trips));
    optimise(model);
    Session session(Plan::build(std::move(model)));
    const Tensor xs = counting(2 * trips).reshaped({trips, 2});
    const Tensor start = floats({-2, -1}).reshaped({1, 2});
    Tensor grown;
    // Also from what a run before has made, in the memory that runs share.
    for (const Tensor& given :
         {start, MutableTensor(DatumType::f32, {0, 2}).freeze(), xs, Tensor()}) {
      const Tensor first = given.rank() == 2 ? given : grown;
      grown = session.run(ValueList{first, xs})[0].tensor();
      REQUIRE(grown.shape() == Shape{first.shape()[0] + trips, 2});
      CHECK((grown.rows(first.shape()[0], first.shape()[0] + trips) == xs));
      CHECK((grown.rows(0, first.shape()[0]) == first));
    }
  }

  TEST_CASE("a warm loop over a growing value allocates as often for any number of trips") {
    const auto allocations_of = [](std::int64_t trips) {
      return allocations_of_warm(
          growing(-1, static_cast<std::size_t>(trips)),
          {floats({1, 2}).reshaped({1, 2}), counting(2 * trips).reshaped({trips, 2})});
    };
    const std::size_t few = allocations_of(40);
    CHECK(allocations_of(45) == few);
    CHECK(allocations_of(60) == few);
  }

  TEST_CASE("beside what grows, the places of a split of fixed sizes are found once") {
    const auto allocations_of = [](std::int64_t trips) {
      TypedModel body;
      const OutletId xs = body.add_source("xs", float_fact(std::vector<Dim>{Dim::symbol("n"), 16})),
                     x = body.add_source("x", float_fact(Shape{1, 32}));
      const OutletId tanh = body.wire_one("tanh", Unary{UnaryOp::tanh}, {x});
      const OutletIds halves =
          body.wire("halves", Split{.axis = 1, .outputs = 2},
                    {tanh, body.constant("sizes", Tensor::of<std::int64_t>({2}, {16, 16}))});
      const OutletId sum = sum_of(body, "sum", halves[0], halves[1]);
      body.add_output("xs_on", body.wire_one("joined", Concat{0}, {xs, sum}));
      Loop loop;
      loop.body = shared(std::move(body));
      loop.inputs = {kCarried, kScanned};
      loop.outputs = {{LoopOutput::Kind::last, 0}};
      return allocations_of_warm(
          model_of(loop, {float_fact(Shape{1, 16}), float_fact(Shape{trips, 32})}, {0}),
          {MutableTensor::zeros(DatumType::f32, {1, 16}).freeze(),
           MutableTensor::zeros(DatumType::f32, {trips, 32}).freeze()});
    };
    CHECK(allocations_of(60) == allocations_of(40));
  }

  TEST_CASE("sizes that are more than a symbol and a number follow what grows") {
    constexpr std::int64_t trips = 200;
    TypedModel body;
    const auto open = [](const char* name) {
      return float_fact(std::vector<Dim>{Dim::symbol(name), Dim(2)});
    };
    const OutletId xs = body.add_source("xs", open("n"));
    body.add_source("twice", open("m"));
    const OutletId x = body.add_source("x", float_fact(Shape{1, 2}));
    const OutletId joined = body.wire_one("joined", Concat{0}, {xs, x});
    body.add_output("xs_on", joined);
    body.add_output("twice_on", body.wire_one("again", Concat{0}, {joined, joined}));
    Loop loop;
    loop.body = shared(std::move(body));
    loop.inputs = {kCarried, kCarried, kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::last, 1}};
    const TypedModel model =
        model_of(loop, {open("a"), open("b"), float_fact(Shape{trips, 2})}, {0, 1});
    const Tensor none = MutableTensor(DatumType::f32, {0, 2}).freeze(),
                 rows = counting(2 * trips).reshaped({trips, 2});
    const ValueList out = run_model(model, ValueList{none, none, rows});
    CHECK((out[0] == Value(rows)));
    CHECK((out[1].tensor().rows(0, trips) == rows));
    CHECK((out[1].tensor().rows(trips, 2 * trips) == rows));
  }

  TEST_CASE("a tensor that has grown stays as it is, whatever runs follow") {
    constexpr std::int64_t trips = 700;
    TypedModel model = growing(-1, trips);
    optimise(model);
    Session session(Plan::build(std::move(model)));
    const auto run = [&](const Tensor& first, const Tensor& rows) {
      return session.run(ValueList{first, rows})[0].tensor();
    };
    const auto rows_from = [](float least) {
      MutableTensor out(DatumType::f32, {trips, 2});
      std::iota(out.as<float>().begin(), out.as<float>().end(), least);
      return std::move(out).freeze();
    };
    const Tensor a = rows_from(0), b = rows_from(1e4F), c = rows_from(1e5F);
    const Tensor first = run(floats({-2, -1}).reshaped({1, 2}), a), left = run(first, b),
                 right = run(first, c), other = run(b, a);
    CHECK((first.rows(1, trips + 1) == a));
    for (const Tensor& longer : {left, right}) CHECK((longer.rows(0, trips + 1) == first));
    CHECK((left.rows(trips + 1, 2 * trips + 1) == b));
    CHECK((right.rows(trips + 1, 2 * trips + 1) == c));
    CHECK((other.rows(0, trips) == b));
  }

  TEST_CASE("a part that changes its shape is named with its iteration and both shapes") {
    const ValueList inputs{floats({1, 2}).reshaped({1, 2}), counting(6).reshaped({3, 2})};
    CHECK_THROWS_WITH_AS(run_model(growing(0, 3), inputs), doctest::Contains("in iteration 1"),
                         Error);
    CHECK_THROWS_WITH_AS(run_model(growing(0, 3), inputs),
                         doctest::Contains("is [3,2] after [2,2]"), Error);
  }

  TEST_CASE("a trip count without end neither clamps nor reserves memory") {
    Loop loop = counting_while(7);
    loop.has_trip_count = true;
    const ValueList out = run_model(
        model_of(loop, {Fact::of(integer(INT64_MAX)), kFlag, float_fact(Shape{})}, {0, 1}),
        ValueList{Tensor::scalar(true), Tensor::scalar(0.0F)});
    CHECK(out[0].tensor().item<float>() == 7);
    CHECK(out[1].tensor().shape() == Shape{14});
  }

  TEST_CASE("a loop that does not end is stopped, and named") {
    const TypedModel model = model_of(counting_while(-1), {kFlag, float_fact(Shape{})}, {0});
    const ValueList inputs{Tensor::scalar(true), Tensor::scalar(-1e9F)};
    Limits few;
    few.iterations = 10;
    CHECK_THROWS_WITH_AS(run_model(model, inputs, few),
                         doctest::Contains("loops run more than 10 iterations, the limit "
                                           "iterations\n  in iteration 10\n  in Loop \"loop\""),
                         Error);
    Limits hasty;
    hasty.time = std::chrono::milliseconds(1);
    const ValueList endless{Tensor::scalar(true), Tensor::scalar(-3e38F)};
    try {
      run_model(model, endless, hasty);
      FAIL("an endless loop ended");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::cancelled);
      CHECK(error.message().ends_with("the limit time"));
    }
  }
}
