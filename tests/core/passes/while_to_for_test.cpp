#include <doctest/doctest.h>

#include <limits>

#include "support/counting_loop.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Kind = LoopInput::Kind;

/// One run of a loop: the start and the bound, and how many iterations there are.
struct Run {
  std::int64_t start, bound;
  float trips;
  bool begins = true;
};

void check_counted(const Counting& counting, const std::vector<Run>& runs) {
  TypedModel model = counting.model();
  std::vector<ValueList> inputs;
  for (const Run& run : runs) inputs.push_back(counting.inputs(run.start, run.bound, run.begins));
  CHECK(firings_of(model, inputs, "while_to_for") == 1);
  REQUIRE(loop_of(model));
  CHECK_FALSE(loop_of(model)->condition.has_value());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CAPTURE(runs[i].bound);
    check_close(run_model(model, inputs[i])[0], floats({runs[i].trips}));
  }
}

void check_stays(const Counting& counting, const std::vector<Run>& runs) {
  TypedModel model = counting.model();
  std::vector<ValueList> inputs;
  for (const Run& run : runs) inputs.push_back(counting.inputs(run.start, run.bound, run.begins));
  CHECK(firings_of(model, inputs, "while_to_for") == 0);
  for (std::size_t i = 0; i < runs.size(); ++i)
    check_close(run_model(model, inputs[i])[0], floats({runs[i].trips}));
}

using First = Counting::First;

}  // namespace

TEST_SUITE("while to for") {
  TEST_CASE("counting up by one to a bound, which stands last or first") {
    for (const bool is_turned : {false, true}) {
      Counting counting;
      counting.is_turned = is_turned;
      check_counted(counting, {{0, 3, 3}, {0, 1, 1}, {0, 0, 0}, {0, -2, 0}});
    }
  }

  TEST_CASE("the bound itself may count") {
    Counting counting;
    counting.op = BinaryOp::less_or_equal;
    check_counted(counting, {{0, 3, 4}, {0, 0, 1}, {0, -1, 0}, {0, -5, 0}});
  }

  TEST_CASE("a start that is not 0, and steps of more than one") {
    Counting counting;
    counting.start = 2;
    counting.step = 3;
    // 2, 5, 8, 11
    check_counted(counting, {{2, 2, 0}, {2, 3, 1}, {2, 5, 1}, {2, 6, 2}, {2, 12, 4}, {2, -9, 0}});
    counting.op = BinaryOp::less_or_equal;
    check_counted(counting, {{2, 1, 0}, {2, 2, 1}, {2, 4, 1}, {2, 5, 2}, {2, 11, 4}});
  }

  TEST_CASE("a loop may count down") {
    Counting counting;
    counting.op = BinaryOp::greater;
    counting.start = 5;
    counting.step = -1;
    check_counted(counting, {{5, 0, 5}, {5, 4, 1}, {5, 5, 0}, {5, 9, 0}});
    counting.step = -2;
    // 5, 3, 1
    check_counted(counting, {{5, 0, 3}, {5, 1, 2}, {5, 2, 2}, {5, 5, 0}, {5, 7, 0}});
    counting.op = BinaryOp::greater_or_equal;
    check_counted(counting, {{5, 0, 3}, {5, 1, 3}, {5, 2, 2}, {5, 5, 1}, {5, 6, 0}});
  }

  TEST_CASE("a loop that begins for sure runs at least once") {
    Counting counting;
    counting.first = First::always;
    check_counted(counting, {{0, 3, 3}, {0, 1, 1}, {0, 0, 1}, {0, -2, 1}});
    counting.op = BinaryOp::less_or_equal;
    check_counted(counting, {{0, 3, 4}, {0, 0, 1}, {0, -2, 1}});
  }

  TEST_CASE("a loop that something else begins runs at least once, or never") {
    Counting counting;
    counting.first = First::given;
    check_counted(counting, {{0, 3, 3}, {0, 0, 1}, {0, 3, 0, false}, {0, -1, 0, false}});
  }

  TEST_CASE("a loop that another comparison begins runs at least once, or never") {
    Counting another_op;
    another_op.first_op = BinaryOp::less_or_equal;
    check_counted(another_op, {{0, 3, 3}, {0, 0, 1}, {0, -1, 0}});
    Counting another_bound;
    another_bound.first_shift = 10;
    check_counted(another_bound, {{0, 3, 3}, {0, 0, 1}, {0, -2, 1}, {0, -10, 0}});
    Counting another_start;
    another_start.first_start = -5;
    check_counted(another_start, {{0, 3, 3}, {0, -2, 1}, {0, -5, 0}});
  }

  TEST_CASE("the counter as it was before the step is compared one iteration later") {
    Counting counting;
    counting.compares_before = true;
    counting.first = First::always;
    // After iteration n the counter is compared as n.
    check_counted(counting, {{0, 3, 4}, {0, 1, 2}, {0, 0, 1}, {0, -1, 1}});
  }

  TEST_CASE("a condition that joins itself to the comparison") {
    Counting counting;
    counting.joins_condition = true;
    check_counted(counting, {{0, 3, 3}, {0, 0, 0}});
  }

  TEST_CASE("a trip count besides it") {
    Counting counting;
    counting.most = 2;
    check_counted(counting, {{0, 3, 2}, {0, 1, 1}, {0, -1, 0}});
    counting.first = First::always;
    check_counted(counting, {{0, 3, 2}, {0, 0, 1}});
    counting.most = 0;
    TypedModel model = counting.model();
    firings_of(model, {counting.inputs(0, 3)}, "while_to_for");
    check_close(run_model(model, counting.inputs(0, 3))[0], floats({0}));
  }

  TEST_CASE("the trip count is a constant where start, step and bound are") {
    Counting counting;
    counting.bound = 7;
    counting.step = 2;
    TypedModel model = counting.model();
    CHECK(firings_of(model, {counting.inputs(0, 7)}, "while_to_for") == 1);
    REQUIRE(loop_of(model) != nullptr);
    for (const TypedNode& node : model.nodes())
      if (node.op.as<Loop>()) CHECK(model.fact(node.inputs[0]).integers() == Shape{4});
  }

  TEST_CASE("a start that only the run tells, where the loop begins by the comparison") {
    Counting counting;
    counting.start.reset();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                           kLeast = std::numeric_limits<std::int64_t>::min();
    check_counted(counting, {{0, 3, 3},
                             {-2, 2, 4},
                             {5, 3, 0},
                             {kMost - 2, kMost, 2},
                             {kMost, kLeast, 0},
                             {kLeast, kLeast + 1, 1}});
    counting.most = 3;
    check_counted(counting, {{kLeast, kMost, 3}, {kMost, kLeast, 0}});
    counting.most.reset();
    counting.op = BinaryOp::greater;
    counting.step = -1;
    check_counted(counting, {{3, 0, 3}, {2, -2, 4}, {3, 5, 0}, {kLeast + 2, kLeast, 2}});
    counting.type = DatumType::i32;
    check_counted(counting, {{3, 0, 3}, {2, -2, 4}, {3, 5, 0}});
  }

  TEST_CASE("a counter of 32 bits is counted as long as it stays within its type") {
    Counting counting;
    counting.type = DatumType::i32;
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max(),
                           kLeast = std::numeric_limits<std::int32_t>::min();
    check_counted(counting, {{0, 3, 3}, {0, -3, 0}, {0, kLeast, 0}});
    counting.start = kMost - 1;
    check_counted(counting, {{kMost - 1, kMost, 1}, {kMost - 1, kLeast, 0}});
    counting.start = 0;
    counting.step = 2;
    counting.bound = 5;
    check_counted(counting, {{0, 5, 3}});
  }

  TEST_CASE("counters that may leave their type stay") {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    Counting counting;
    counting.most = 3;
    counting.type = DatumType::i32;
    counting.op = BinaryOp::less_or_equal;
    check_stays(counting, {{0, 1, 2}, {0, kMost, 3}});
    counting.bound = kMost;
    check_stays(counting, {{0, kMost, 3}});
    counting.op = BinaryOp::less;
    counting.step = 2;
    counting.start = kMost - 3;
    // From the greatest number but three to the greatest but one, and on from the least.
    check_stays(counting, {{kMost - 3, kMost, 3}});
    counting.bound.reset();
    counting.start = 0;
    check_stays(counting, {{0, 3, 2}});

    Counting wide;
    wide.start.reset();
    wide.most = 3;
    wide.op = BinaryOp::less_or_equal;
    check_stays(wide, {{0, 1, 2}});
    wide.op = BinaryOp::less;
    wide.step = 2;
    check_stays(wide, {{0, 3, 2}});
    wide.step = 1;
    wide.first = First::always;
    check_stays(wide, {{0, 3, 3}, {0, 0, 1}});
  }

  TEST_CASE("a comparison that goes the wrong way stays") {
    Counting counting;
    counting.most = 4;
    counting.step = -1;
    check_stays(counting, {{0, 3, 4}, {0, 0, 0}});
    counting.step = 1;
    counting.op = BinaryOp::greater;
    check_stays(counting, {{0, -1, 4}, {0, 3, 0}});
    counting.op = BinaryOp::equal;
    check_stays(counting, {{0, 0, 1}});
  }

  TEST_CASE("a bound that changes stays a condition") {
    TypedModel body;
    const Fact integers = Fact::tensor(DatumType::i64, Shape{});
    const OutletId go_on = body.add_source("go_on", Fact::tensor(DatumType::boolean, Shape{})),
                   i = body.add_source("i", integers), bound = body.add_source("bound", integers);
    static_cast<void>(go_on);
    const OutletId next = body.wire_one("next", Binary{BinaryOp::add},
                                        {i, body.constant("two", integer(2))}),
                   farther = body.wire_one("farther", Binary{BinaryOp::add},
                                           {bound, body.constant("one", integer(1))});
    body.add_output("go_on_on", body.wire_one("less", Binary{BinaryOp::less}, {next, bound}));
    body.add_output("i_on", next);
    body.add_output("bound_on", farther);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::carried}, {Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 1}};
    loop.condition = 0;
    TypedModel model =
        model_of(loop, {Fact::of(Tensor::scalar(true)), Fact::of(integer(0)), integers}, {0});
    CHECK(firings_of(model, {{integer(5)}}, "while_to_for") == 0);
    // 2 < 5, 4 < 6, 6 < 7, 8 < 8
    check_close(run_model(model, ValueList{integer(5)})[0], integer(8));
  }

  TEST_CASE("the number of the iteration is a counter") {
    TypedModel body;
    const Fact integers = Fact::tensor(DatumType::i64, Shape{});
    const OutletId n = body.add_source("n", integers),
                   go_on = body.add_source("go_on", Fact::tensor(DatumType::boolean, Shape{})),
                   count = body.add_source("count", integers),
                   bound = body.add_source("bound", integers);
    static_cast<void>(go_on);
    const OutletId one = body.constant("one", integer(1));
    const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {n, one});
    body.add_output("go_on_on", body.wire_one("less", Binary{BinaryOp::less}, {next, bound}));
    body.add_output("count_on", body.wire_one("more", Binary{BinaryOp::add}, {count, one}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::carried}, {Kind::invariant}};
    loop.outputs = {{LoopOutput::Kind::last, 1}};
    loop.condition = 0;
    loop.numbered = true;
    TypedModel model =
        model_of(loop, {Fact::of(Tensor::scalar(true)), Fact::of(integer(0)), integers}, {0});
    CHECK(firings_of(model, {{integer(3)}, {integer(1)}, {integer(0)}}, "while_to_for") == 1);
    check_close(run_model(model, ValueList{integer(3)})[0], integer(3));
    check_close(run_model(model, ValueList{integer(-3)})[0], integer(1));
  }

  TEST_CASE("a stack of parts of different lengths stays while the condition tells its length") {
    TypedModel body;
    const Fact integers = Fact::tensor(DatumType::i64, Shape{});
    const OutletId go_on = body.add_source("go_on", Fact::tensor(DatumType::boolean, Shape{})),
                   i = body.add_source("i", integers), bound = body.add_source("bound", integers),
                   v = body.add_source("v", float_fact(std::vector<Dim>{Dim::symbol("V")}));
    static_cast<void>(go_on);
    const OutletId next =
        body.wire_one("next", Binary{BinaryOp::add}, {i, body.constant("one", integer(1))});
    body.add_output("go_on_on", body.wire_one("less", Binary{BinaryOp::less}, {next, bound}));
    body.add_output("i_on", next);
    body.add_output("v_on", v);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::carried}, {Kind::invariant}, {Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::stacked, 2, 0, false}};
    loop.condition = 0;
    TypedModel model = model_of(loop,
                                {Fact::of(Tensor::scalar(true)), Fact::of(integer(0)), integers,
                                 float_fact(std::vector<Dim>{Dim::symbol("V")})},
                                {0});
    CHECK(firings_of(model, {{integer(2), floats({1, 2})}}, "while_to_for") == 0);
  }
}
