#include "strata/core/ops/loop.h"

#include <doctest/doctest.h>

#include <limits>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/unsqueeze.h"
#include "support/integers.h"
#include "support/loop_model.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// A loop that adds 1 to an i64 while it is below a bound: carried count and condition.
TypedModel count_up_model() {
  TypedModel model;
  const OutletId start = model.add_source("start", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId go = model.add_source("go", Fact::tensor(DatumType::boolean, Shape{}));
  const OutletId bound = model.add_source("bound", Fact::tensor(DatumType::i64, Shape{}));
  TypedModel body(model.symbol_scope());
  body.add_source("go", Fact::tensor(DatumType::boolean, Shape{}));
  const OutletId count = body.add_source("count", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId limit = body.add_source("limit", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId next =
      body.wire_one("next", Binary{BinaryOp::add}, {count, body.constant("one", integer(1))});
  body.add_output("goes_on", body.wire_one("goes_on", Binary{BinaryOp::less}, {next, limit}));
  body.add_output("next", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {
      {LoopInput::Kind::carried}, {LoopInput::Kind::carried}, {LoopInput::Kind::invariant}};
  loop.outputs = {{LoopOutput::Kind::last, 1}};
  loop.condition = 0;
  model.add_output("count", model.wire("loop", loop, {go, start, bound})[0]);
  return model;
}

ValueList count_up(std::int64_t start, bool go, std::int64_t bound, const Limits& limits = {}) {
  const ValueList inputs{integer(start), Tensor::scalar(go), integer(bound)};
  return run_model(count_up_model(), inputs, limits);
}

/// A loop whose first carried value, f32[n], is joined to something in each iteration.
struct Growing {
  std::int64_t part = 2;    ///< how many elements are joined to it; below 0, one is cut off
  bool is_while = false;    ///< the second carried value is a condition
  bool is_doubled = false;  ///< it is joined to itself

  Loop loop() const {
    TypedModel body;
    const Dim n = Dim::symbol("n");
    const OutletId xs = body.add_source("xs", float_fact(std::vector<Dim>{part < 0 ? n + 1 : n}));
    const OutletId go = body.add_source("go", kGo);
    body.add_output("xs_on", next(body, xs));
    body.add_output("go_on", go);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    loop.has_trip_count = true;
    if (is_while) loop.condition = 1;
    return loop;
  }

  static inline const Fact kGo = Fact::tensor(DatumType::boolean, Shape{});

 private:
  OutletId next(TypedModel& body, OutletId xs) const {
    const auto at = [&](const char* name, std::int64_t place) {
      return body.constant(name, Tensor::of<std::int64_t>({1}, {place}));
    };
    if (part < 0) return body.wire_one("rest", Slice{}, {xs, at("second", 1), at("end", 999)});
    const Shape more{part};
    const OutletId other =
        is_doubled ? xs
                   : body.constant("more", MutableTensor::zeros(DatumType::f32, more).freeze());
    return body.wire_one("joined", Concat{0}, {xs, other});
  }
};

}  // namespace

TEST_SUITE("loop") {
  TEST_CASE("a loop carries, scans and stacks") {
    const ValueList inputs{floats({10}), floats({1, 2, 3})};
    const ValueList out = run_model(running_sum_model(Shape{3}, kScanned, kStacked), inputs);
    check_close(out[0], floats({16}));
    check_close(out[1], floats({11, 13, 16}));
  }

  TEST_CASE("a loop may scan and stack backward") {
    const ValueList inputs{floats({0}), floats({1, 2, 3})};
    check_close(run_model(running_sum_model(Shape{3}, kScannedBackward, kStacked), inputs)[1],
                floats({3, 5, 6}));
    check_close(
        run_model(running_sum_model(Shape{3}, kScannedBackward, kStackedBackward), inputs)[1],
        floats({6, 5, 3}));
  }

  TEST_CASE("a loop of no trips gives the initial value and an extent of 0") {
    const ValueList inputs{floats({10}), floats({})};
    const ValueList out = run_model(
        running_sum_model(std::vector<Dim>{Dim::symbol("T")}, kScanned, kStacked), inputs);
    check_close(out[0], floats({10}));
    CHECK((out[1].tensor().shape() == Shape{0}));
  }

  TEST_CASE("a stack of no parts has the sizes that are declared, where nothing else tells") {
    const auto vector_of = [](const char* size) { return std::vector<Dim>{Dim::symbol(size)}; };
    TypedModel body;
    const OutletId x = body.add_source("x", float_fact(vector_of("T")));
    const OutletId shape = body.add_source("shape", Fact::tensor(DatumType::i64, Shape{3}));
    body.add_output("made", body.wire_one("made", Reshape{}, {x, shape}));
    body.add_output("same",
                    body.wire_one("same", Unsqueeze{},
                                  {x, body.constant("axes", Tensor::of<std::int64_t>({1}, {0}))}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{}, {}};
    loop.outputs = {{LoopOutput::Kind::stacked, 0, 1, false, {4, 1, -1}},
                    {LoopOutput::Kind::stacked, 1, 0, false, {-1, 7}}};
    loop.has_trip_count = true;
    TypedModel model;
    const OutletIds in{model.add_source("trips", Fact::tensor(DatumType::i64, Shape{})),
                       model.add_source("x", float_fact(vector_of("N"))),
                       model.add_source("shape", Fact::tensor(DatumType::i64, Shape{3}))};
    const OutletIds stacks = model.wire("loop", loop, in);
    model.add_output("made", stacks[0]);
    model.add_output("same", stacks[1]);
    const auto shapes = [&](std::int64_t trips) {
      const ValueList given{integer(trips), floats({1, 2, 3, 4, 5, 6}),
                            Tensor::of<std::int64_t>({3}, {2, 1, 3})};
      const ValueList out = run_model(model, given);
      return std::pair(out[0].tensor().shape(), out[1].tensor().shape());
    };
    CHECK(shapes(0) == std::pair(Shape{4, 0, 0}, Shape{0, 6}));
    CHECK(shapes(2) == std::pair(Shape{2, 2, 3}, Shape{2, 6}));

    std::vector<LoopOutput> read;
    from_attr(to_attr(loop.outputs), read);
    CHECK(read == loop.outputs);
    loop.outputs[0].declared = {4, 1};
    CHECK_THROWS_WITH_AS(model.wire("other", loop, in),
                         doctest::Contains("declared to have 2 axes"), Error);
  }

  TEST_CASE("a stack of no parts has the sizes that follow from those of the entries") {
    const Dim n = Dim::symbol("N");
    struct Case {
      Dim given;
      std::int64_t size;
    };
    // The last two do not tell N.
    for (const auto& [given, size] : {Case{2 * n, 6},
                                      {2 * n + 1, 7},
                                      {max(n, Dim(0)), 5},
                                      {floor_div(Dim(12), n), 4},
                                      {min(n, Dim(4)), 4}}) {
      TypedModel model;
      const OutletId trips = model.add_source("trips", Fact::tensor(DatumType::i64, Shape{}));
      const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{1, given}));
      TypedModel body(model.symbol_scope());
      const OutletId row = body.add_source("row", model.fact(x));
      body.add_output("part", body.wire_one("part", Concat{1}, {row, row}));
      CHECK(body.output_fact(0).shape == ShapeFact(std::vector<Dim>{1, 2 * given}));
      Loop loop;
      loop.body = std::make_shared<TypedModel>(std::move(body));
      loop.inputs = {{LoopInput::Kind::invariant}};
      loop.outputs = {{LoopOutput::Kind::stacked, 0}};
      loop.has_trip_count = true;
      model.add_output("y", model.wire_one("y", loop, {trips, x}));
      const ValueList none{integer(0), MutableTensor::zeros(DatumType::f32, {1, size}).freeze()};
      CHECK((run_model(model, none)[0].tensor().shape() == Shape{0, 2 * size}));
    }
  }

  TEST_CASE("stacked outputs have the scanned extent") {
    const TypedModel model =
        running_sum_model(std::vector<Dim>{Dim::symbol("T")}, kScanned, kStacked);
    CHECK(model.output_fact(1).shape.to_string() == "[T]");
  }

  TEST_CASE("a condition is looked at before each iteration") {
    CHECK((count_up(0, true, 5)[0] == Value(integer(5))));
    CHECK((count_up(0, false, 5)[0] == Value(integer(0))));
    CHECK((count_up(7, true, 5)[0] == Value(integer(8))));
  }

  TEST_CASE("a carried tensor that shrinks ends with nothing") {
    TypedModel body;
    const OutletId xs = body.add_source("xs", float_fact(std::vector<Dim>{Dim::symbol("n")}));
    const auto ends = [&](const char* name, std::int64_t at) {
      return body.constant(name, Tensor::of<std::int64_t>({1}, {at}));
    };
    body.add_output("xs_on",
                    body.wire_one("rest", Slice{}, {xs, ends("second", 1), ends("end", 9)}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    loop.has_trip_count = true;
    const TypedModel model =
        model_of(loop, {Fact::of(integer(2)), float_fact(std::vector<Dim>{Dim::symbol("N")})}, {0});
    const auto left_of = [&](const Tensor& all) {
      const Value given = all;
      return run_model(model, {&given, 1})[0].tensor();
    };
    CHECK(left_of(floats({1, 2, 3})) == floats({3}));
    CHECK(left_of(floats({1, 2})).shape() == Shape{0});
    CHECK(left_of(floats({1})).shape() == Shape{0});
  }

  TEST_CASE("a carried tensor that grows by as much each time ends as large as the trips tell") {
    const auto last_shape = [](const Growing& growing, Dim first, const Value& trips) {
      const TypedModel model =
          model_of(growing.loop(),
                   {Fact::of(trips), float_fact(std::vector<Dim>{first}), Growing::kGo}, {0});
      return model.output_fact(0).shape;
    };
    const Dim n = Dim::symbol("N"), t = Dim::symbol("T");
    CHECK(last_shape({}, 3, integer(5)) == ShapeFact(Shape{13}));
    CHECK(last_shape({}, n, integer(5)) == ShapeFact(std::vector<Dim>{n + 10}));
    CHECK(last_shape({}, n, integer(0)) == ShapeFact(std::vector<Dim>{n}));
    CHECK(last_shape({}, n, integer(-4)) == ShapeFact(std::vector<Dim>{n}));
    CHECK(last_shape({}, 1, Tensor::scalar(t)) == ShapeFact(std::vector<Dim>{2 * max(t, 0) + 1}));
    CHECK(last_shape({.part = 0}, n, integer(5)) == ShapeFact(std::vector<Dim>{n}));
    CHECK(last_shape({.part = 0, .is_while = true}, n, integer(5)) ==
          ShapeFact(std::vector<Dim>{n}));
  }

  TEST_CASE(
      "a size is not told by trips that a condition may cut short, or that no size can count") {
    const auto last_size = [](const Growing& growing, std::int64_t trips) {
      const TypedModel model = model_of(
          growing.loop(), {Fact::of(integer(trips)), float_fact(Shape{3}), Growing::kGo}, {0});
      return model.output_fact(0).shape[0].constant();
    };
    CHECK_FALSE(last_size({.is_while = true}, 5));
    CHECK_FALSE(last_size({}, std::numeric_limits<std::int64_t>::max()));
    CHECK_FALSE(last_size({.is_doubled = true}, 5));
    CHECK_FALSE(last_size({.part = -1}, 5));  // none can be cut off from nothing
  }

  TEST_CASE("a loop that does not end reaches the iteration limit") {
    Limits limits;
    limits.iterations = 100;
    CHECK_THROWS_WITH_AS(count_up(0, true, 1'000'000, limits), doctest::Contains("100 iterations"),
                         Error);
  }

  TEST_CASE("trips that take more than an expression may be are not known") {
    Dim trips = Dim::symbol("N");
    for (int i = 1; i < 32; ++i) trips = max(trips, Dim::symbol(cat("N", i)));
    Fact count = Fact::tensor(DatumType::i64, Shape{});
    count.value = std::make_shared<const Value>(dims_tensor(std::vector{trips}).reshaped({}));
    Loop loop;
    loop.has_trip_count = true;
    const Fact* given[] = {&count};
    CHECK_FALSE(loop.trip_count(Facts(given)));
  }

  TEST_CASE("entries read back from their text") {
    const std::vector<LoopInput> inputs{{LoopInput::Kind::invariant},
                                        {LoopInput::Kind::scanned, 2, 3, true}};
    std::vector<LoopInput> read;
    from_attr(to_attr(inputs), read);
    CHECK((read == inputs));
    CHECK_THROWS_WITH_AS(from_attr(AttrValue(std::vector<std::string>{"scanned(1"}), read),
                         doctest::Contains("is no loop entry"), Error);
  }

  TEST_CASE("loop_c5: scanned extents that differ") {
    TypedModel model;
    const OutletId a = model.add_source("a", float_fact(std::vector<Dim>{Dim::symbol("A")}));
    const OutletId b = model.add_source("b", float_fact(std::vector<Dim>{Dim::symbol("B")}));
    Loop loop;
    loop.body = running_sum_body(model.symbol_scope());
    loop.body = [&] {
      TypedModel body(model.symbol_scope());
      const OutletId x = body.add_source("x", float_fact(Shape{1})),
                     y = body.add_source("y", float_fact(Shape{1}));
      body.add_output("sum", body.wire_one("sum", Binary{BinaryOp::add}, {x, y}));
      return std::make_shared<TypedModel>(std::move(body));
    }();
    loop.inputs = {kScanned, kScanned};
    loop.outputs = {{LoopOutput::Kind::stacked, 0, 0, false}};
    model.add_output("sums", model.wire("loop", loop, {a, b})[0]);
    const ValueList inputs{floats({1, 2}), floats({1})};
    CHECK_THROWS_WITH_AS(run_model(model, inputs), doctest::Contains("(C5)"), Error);
  }

  TEST_CASE("loop_c1: entries and inputs must agree in number") {
    SymbolScope scope;
    Loop loop;
    loop.body = running_sum_body(std::make_shared<SymbolScope>());
    CHECK_THROWS_WITH_AS(facts_of(loop, {float_fact(Shape{1})}), doctest::Contains("(C1)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Loop{}, {}), doctest::Contains("(C1) the loop has no body"),
                         Error);
  }

  TEST_CASE("loop_c2: a body output for each carried input") {
    const auto symbols = std::make_shared<SymbolScope>();
    TypedModel silent(symbols);
    silent.add_source("x", float_fact(Shape{1}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(silent));
    loop.inputs = {{LoopInput::Kind::carried}};
    CHECK_THROWS_WITH_AS(facts_of(loop, {float_fact(Shape{1})}), doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("loop_c1: the body takes what the entries give it") {
    TypedModel body;
    body.add_output("x", body.add_source("x", float_fact(Shape{2})));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}};
    loop.has_trip_count = true;
    const Fact trips = Fact::of(integer(3));
    CHECK(facts_of(loop, {trips, float_fact(Shape{2})}).empty());
    CHECK_THROWS_WITH_AS(facts_of(loop, {trips, float_fact(Shape{3})}), doctest::Contains("(C1)"),
                         Error);
    loop.inputs = {{LoopInput::Kind::scanned, 1, 1}};
    CHECK_THROWS_WITH_AS(facts_of(loop, {trips, float_fact(Shape{2, 4})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("loop_c4: a condition of no element") {
    TypedModel open;
    const OutletId start = open.add_source("start", Fact::tensor(DatumType::i64, Shape{}));
    const OutletId go =
        open.add_source("go", Fact::tensor(DatumType::boolean, std::vector<Dim>{Dim::symbol("N")}));
    TypedModel body(open.symbol_scope());
    const OutletId again =
        body.add_source("go", Fact::tensor(DatumType::boolean, std::vector<Dim>{Dim::symbol("B")}));
    body.add_output("go", again);
    body.add_output("x", body.add_source("x", Fact::tensor(DatumType::i64, Shape{})));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 1}};
    loop.condition = 0;
    open.add_output("x", open.wire("loop", loop, {go, start})[0]);
    const ValueList inputs{integer(1), Tensor::vector(std::span<const bool>())};
    CHECK_THROWS_WITH_AS(run_model(open, inputs), doctest::Contains("(C4)"), Error);
  }

  TEST_CASE("a stack that is larger than memory can be is refused") {
    TypedModel model;
    const OutletId trips = model.add_source("trips", Fact::tensor(DatumType::i64, Shape{}));
    const OutletId x = model.add_source("x", float_fact(Shape{4}));
    TypedModel body(model.symbol_scope());
    body.add_output("x", body.add_source("x", float_fact(Shape{4})));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::stacked, 0, 0}};
    loop.has_trip_count = true;
    model.add_output("y", model.wire("loop", loop, {trips, x})[0]);
    const ValueList inputs{integer(std::int64_t{1} << 62), floats({1, 2, 3, 4})};
    CHECK_THROWS_WITH_AS(run_model(model, inputs), doctest::Contains("too large"), Error);
  }

  TEST_CASE("loop_c3: the trip count is one integer") {
    Loop loop;
    loop.body = running_sum_body(std::make_shared<SymbolScope>());
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::invariant}};
    loop.has_trip_count = true;
    const Fact x = float_fact(Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(loop, {x, x, x}), doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("loop_c4: the condition is a carried bool") {
    Loop loop;
    loop.body = running_sum_body(std::make_shared<SymbolScope>());
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::invariant}};
    const Fact x = float_fact(Shape{1});
    for (const std::int64_t condition : {-1, 0, 1}) {
      loop.condition = condition;
      CHECK_THROWS_WITH_AS(facts_of(loop, {x, x}), doctest::Contains("(C4)"), Error);
    }
  }

  TEST_CASE("loop_c6: an output names something that is there") {
    Loop loop;
    loop.body = running_sum_body(std::make_shared<SymbolScope>());
    loop.inputs = {{LoopInput::Kind::carried}, kScanned};
    const Fact x = float_fact(Shape{1});
    for (const LoopOutput& output :
         {LoopOutput{LoopOutput::Kind::last, 1}, LoopOutput{LoopOutput::Kind::stacked, 2},
          LoopOutput{LoopOutput::Kind::stacked, -1}}) {
      loop.outputs = {output};
      CHECK_THROWS_WITH_AS(facts_of(loop, {x, x}), doctest::Contains("(C6)"), Error);
    }
  }

  TEST_CASE("loop_c7: a carried value keeps its type") {
    Loop loop;
    loop.body = running_sum_body(std::make_shared<SymbolScope>());
    loop.inputs = {{LoopInput::Kind::carried}, kScanned};
    CHECK_THROWS_WITH_AS(
        facts_of(loop, {Fact::tensor(DatumType::i64, Shape{1}), float_fact(Shape{3})}),
        doctest::Contains("(C7)"), Error);
  }

  TEST_CASE("loop_c7: a carried value keeps the shape that the body takes it for") {
    TypedModel body;
    const OutletId state = body.add_source("state", float_fact(Shape{2}));
    const OutletId axes = body.constant("axes", integers({0}));
    body.add_output("next", body.wire_one("next", Unsqueeze{}, {state, axes}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}};
    loop.has_trip_count = true;
    CHECK_THROWS_WITH_AS(facts_of(loop, {Fact::of(integer(1)), float_fact(Shape{2})}),
                         "(C7) carried value 0 is f32[2] in the body and becomes f32[1,2]", Error);
  }
}
