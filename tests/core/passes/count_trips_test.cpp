#include <doctest/doctest.h>

#include <functional>

#include "strata/core/ops/random.h"
#include "strata/core/ops/select.h"
#include "support/integers.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Kind = LoopInput::Kind;

/// What is computed in an iteration, of a number `i` and of how many iterations went before.
struct Step {
  OutletId go_on, next;
};
using MakeStep = std::function<Step(TypedModel& body, OutletId i, OutletId n)>;

OutletId number(TypedModel& body, std::int64_t value) {
  return body.constant("number", Tensor::scalar(value));
}
OutletId binary(TypedModel& body, BinaryOp op, OutletId a, OutletId b) {
  return body.wire_one("step", Binary{op}, {a, b});
}

/// i = i / 2, while it is above 0.
Step halved(TypedModel& body, OutletId i, OutletId) {
  const OutletId half = binary(body, BinaryOp::div, i, number(body, 2));
  return {binary(body, BinaryOp::greater, half, number(body, 0)), half};
}

/// A loop of (go_on, i, x, row of rows) in which x grows by its row, which is stacked, too.
struct Trips {
  MakeStep step = halved;
  std::int64_t first = 10;
  std::optional<std::int64_t> most;
  bool begins = true;
  bool is_first_given = true;  ///< otherwise i is an input
  bool is_backward = false;
  ShapeFact condition = Shape{};  ///< in the body

  TypedModel model() const {
    TypedModel model;
    TypedModel body(model.symbol_scope());
    const OutletId n = body.add_source("n", Fact::tensor(DatumType::i64, Shape{}));
    body.add_source("go_on", Fact::tensor(DatumType::boolean, condition));
    const OutletId i = body.add_source("i", Fact::tensor(DatumType::i64, Shape{})),
                   x = body.add_source("x", float_fact(Shape{1})),
                   row = body.add_source("row", float_fact(Shape{1}));
    const Step made = step(body, i, n);
    body.add_output("go_on_on", made.go_on);
    body.add_output("i_on", made.next);
    body.add_output("x_on", binary(body, BinaryOp::add, x, row));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried},
                   {Kind::carried},
                   {Kind::carried},
                   is_backward ? kScannedBackward : kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 2},
                    {LoopOutput::Kind::last, 1},
                    {LoopOutput::Kind::stacked, 2, 0, false}};
    loop.numbered = true;
    loop.condition = 0;
    loop.has_trip_count = most.has_value();
    const OutletId given = model.add_source("first", Fact::tensor(DatumType::i64, Shape{}));
    OutletIds in{model.constant("begins", Tensor::scalar(begins)),
                 is_first_given ? model.constant("i0", integer(first)) : given,
                 model.constant("none", floats({0})),
                 model.add_source("rows", float_fact(Shape{100}))};
    if (most) in.insert(in.begin(), model.constant("most", integer(*most)));
    const OutletIds out = model.wire("loop", loop, in);
    for (std::size_t k = 0; k < out.size(); ++k) model.add_output(cat("out", k), out[k]);
    return model;
  }
  ValueList inputs() const {
    MutableTensor rows(DatumType::f32, {100});
    for (std::size_t k = 0; k < 100; ++k) rows.as<float>()[k] = static_cast<float>(k + 1);
    return {integer(first), std::move(rows).freeze()};
  }
};

/// Checks that the loop is given as many trips, and that it gives what it gave before.
void check_counted(const Trips& trips, std::int64_t count) {
  TypedModel model = trips.model();
  CHECK(firings_of(model, {trips.inputs()}, "count_trips") == 1);
  CHECK(model.output_fact(2).shape == ShapeFact(Shape{count}));
  CHECK(run_model(model, trips.inputs())[0] ==
        Value(floats({static_cast<float>(count * (count + 1) / 2)})));
}

void check_stays(const Trips& trips) {
  TypedModel model = trips.model();
  CHECK(firings_of(model, {trips.inputs()}, "count_trips") == 0);
}

}  // namespace

TEST_SUITE("count trips") {
  TEST_CASE("a number that is halved until it is 0") {
    check_counted({.first = 10}, 4);
    check_counted({.first = 1}, 1);
    check_counted({.first = -8}, 1);
    check_counted({.first = INT64_MAX}, 63);
  }

  TEST_CASE("a trip count may end it before") {
    check_counted({.first = 10, .most = 3}, 3);
    check_counted({.first = 10, .most = 9}, 4);
    check_counted({.first = 10, .most = INT64_MAX}, 4);
  }

  TEST_CASE("the number of the iteration decides, as where a loop is left in the middle") {
    Trips trips;
    trips.step = [](TypedModel& body, OutletId i, OutletId n) {
      const OutletId is_it = binary(body, BinaryOp::equal, n, number(body, 3)),
                     no = body.constant("no", Tensor::scalar(false)),
                     yes = body.constant("yes", Tensor::scalar(true));
      return Step{body.wire_one("go_on", Select{}, {is_it, no, yes}), i};
    };
    check_counted(trips, 4);
    trips.is_first_given = false;  // what does not decide may be anything
    check_counted(trips, 4);
  }

  TEST_CASE("two numbers that change each other") {
    Trips trips;
    trips.step = [](TypedModel& body, OutletId i, OutletId n) {
      const OutletId next = binary(body, BinaryOp::sub, i, binary(body, BinaryOp::mul, n, n));
      return Step{binary(body, BinaryOp::greater, next, number(body, 0)), next};
    };
    check_counted(trips, 4);  // 10, 9, 5, -4
  }

  TEST_CASE("more than a few iterations are not tried") {
    Trips trips;
    const auto less_than = [](std::int64_t bound) {
      return [bound](TypedModel& body, OutletId i, OutletId n) {
        const OutletId square = binary(body, BinaryOp::mul, n, n);
        return Step{binary(body, BinaryOp::less, square, number(body, bound * bound)), i};
      };
    };
    trips.step = less_than(63);
    check_counted(trips, 64);
    trips.step = less_than(64);
    check_stays(trips);
  }

  TEST_CASE("what data decide stays a condition") {
    check_stays({.is_first_given = false});
    Trips random;
    random.step = [](TypedModel& body, OutletId i, OutletId) {
      const OutletId shape = body.constant("shape", integers({}));
      const OutletId noise = body.wire_one("noise", Random{.seed = 1}, {shape});
      return Step{
          binary(body, BinaryOp::greater, noise, body.constant("two", Tensor::scalar(2.0F))), i};
    };
    check_stays(random);
  }

  TEST_CASE("an iteration that fails does so in a run") {
    Trips trips;
    trips.step = [](TypedModel& body, OutletId i, OutletId n) {
      const OutletId left = binary(body, BinaryOp::sub, number(body, 2), n);
      const OutletId next = binary(body, BinaryOp::div, i, left);
      return Step{binary(body, BinaryOp::greater, next, number(body, 0)), next};
    };
    TypedModel model = trips.model();
    CHECK(declutter(model, without_unrolling()).firings.count("count_trips") == 0);
    CHECK_THROWS_WITH_AS(run_model(model, trips.inputs()), doctest::Contains("iteration 2"), Error);
  }

  TEST_CASE("a condition of two elements is refused in a run") {
    Trips trips{.condition = ShapeFact::open()};
    trips.step = [](TypedModel& body, OutletId i, OutletId) {
      const OutletId both = body.constant("both", Tensor::of<std::int64_t>({2}, {9, 9}));
      return Step{binary(body, BinaryOp::less, i, both), i};
    };
    TypedModel model = trips.model();
    CHECK(declutter(model, without_unrolling()).firings.count("count_trips") == 0);
    CHECK_THROWS_WITH_AS(run_model(model, trips.inputs()),
                         doctest::Contains("the condition has 2 elements"), Error);
  }

  TEST_CASE("a loop that never begins, and one that takes slices backward, stay") {
    check_stays({.begins = false});
    check_stays({.is_backward = true});
  }
}
