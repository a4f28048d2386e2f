#include <doctest/doctest.h>

#include "strata/core/ops/unary.h"
#include "support/rule_count.h"
#include "support/two_loops.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Kind = LoopInput::Kind;

ValueList rows(std::int64_t count) {
  MutableTensor x(DatumType::f32, {count, 2});
  float next = 0;
  for (float& value : x.as<float>()) value = ++next;
  return {std::move(x).freeze(), Tensor::of<float>({1, 2}, {0, 0}), floats({2})};
}

std::size_t fusions(TypedModel model, const std::vector<ValueList>& inputs) {
  const std::size_t fired = firings_of(model, inputs, "fuse_loops");
  CHECK(count_of<Loop>(model) == (fired == 0 ? 2 : 1));
  return fired;
}

}  // namespace

TEST_SUITE("fuse loops") {
  TEST_CASE("a loop over the parts that another one stacks becomes one with it") {
    TypedModel model = TwoLoops{}.model();
    CHECK(firings_of(model, {rows(3), rows(1), rows(0)}, "fuse_loops") == 1);
    REQUIRE(count_of<Loop>(model) == 1);
    CHECK(loop_of(model)->outputs.size() == 2);
    // Sums of the rows: (1,2), (4,6), (9,12); then 1, 2 + 4, 12 + 9 and 2, 4 + 6, 20 + 12.
    const ValueList out = run_model(model, rows(3));
    check_close(out[0], Tensor::of<float>({1, 2}, {21, 32}));
    check_close(out[1], Tensor::of<float>({3, 2}, {1, 2, 6, 10, 21, 32}));
    check_close(run_model(model, rows(0))[1], Tensor::of<float>({0, 2}, {}));
  }

  TEST_CASE("the stack and the last value may have other readers") {
    TwoLoops loops;
    loops.between = [](TypedModel& model, const OutletIds& first, OutletIds&) {
      model.add_output("total", first[0]);
      model.add_output("sums", model.wire_one("minus", Unary{UnaryOp::neg}, {first[1]}));
    };
    TypedModel model = loops.model();
    CHECK(firings_of(model, {rows(2), rows(0)}, "fuse_loops") == 1);
    REQUIRE(count_of<Loop>(model) == 1);
    CHECK(loop_of(model)->outputs.size() == 4);
    const ValueList out = run_model(model, rows(2));
    check_close(out[0], Tensor::of<float>({1, 2}, {4, 6}));
    check_close(out[1], Tensor::of<float>({2, 2}, {-1, -2, -4, -6}));
  }

  TEST_CASE("two loops that go backward are fused") {
    TwoLoops loops;
    loops.first.stack.reversed = loops.second.scan.reversed = true;
    CHECK(fusions(loops.model(), {rows(3), rows(0)}) == 1);
  }

  TEST_CASE("a stack that is read the other way round is needed whole") {
    for (const bool is_first : {true, false}) {
      TwoLoops loops;
      (is_first ? loops.first.stack.reversed : loops.second.scan.reversed) = true;
      CHECK(fusions(loops.model(), {rows(3)}) == 0);
    }
  }

  TEST_CASE("the number of the iteration is that of both") {
    TwoLoops loops;
    loops.second.numbered = true;
    CHECK(fusions(loops.model(), {rows(3), rows(0)}) == 1);
  }

  TEST_CASE("slices that are not the parts stay slices") {
    const ShapeFact any = std::vector<Dim>{Dim::symbol("R"), Dim::symbol("C")};
    TwoLoops two_rows;
    two_rows.second.scan.chunk = 2;
    two_rows.second.part = any;
    ValueList inputs = rows(4);
    inputs[1] = Tensor::of<float>({2, 2}, {0, 0, 0, 0});
    CHECK(fusions(two_rows.model(), {inputs}) == 0);

    TwoLoops columns;
    columns.second.scan.axis = 1;
    columns.second.part = any;
    columns.x = Shape{2, 2};
    inputs = rows(2);
    inputs[1] = Tensor::of<float>({2, 1}, {0, 0});
    CHECK(fusions(columns.model(), {inputs}) == 0);
  }

  TEST_CASE("equal trip counts are fused, others not") {
    for (const std::int64_t first : {2, 3})
      for (const std::int64_t second : {2, 3}) {
        TwoLoops loops;
        loops.x = Shape{3, 2};
        loops.first.has_trip_count = loops.second.has_trip_count = true;
        loops.first_trips = integer(first);
        loops.second_trips = integer(second);
        CHECK(fusions(loops.model(), {rows(3)}) == (second >= first ? 1 : 0));
      }
  }

  TEST_CASE("a trip count that only the run tells is that of both when it is one wire") {
    for (const bool is_shared : {true, false}) {
      TypedModel model;
      const Fact count = Fact::tensor(DatumType::i64, Shape{});
      const OutletId m = model.add_source("m", count), other = model.add_source("other", count),
                     x = model.add_source("x", float_fact(Shape{1, 2})),
                     two = model.add_source("two", float_fact(Shape{1}));
      First first;
      first.scan = {Kind::invariant};
      first.has_trip_count = true;
      Second second;
      second.has_trip_count = true;
      const OutletIds one = model.wire("first", first_loop(model.symbol_scope(), first), {m, x, x});
      const OutletIds out = model.wire("second", second_loop(model.symbol_scope(), second),
                                       {is_shared ? m : other, x, one[1], two});
      model.add_output("last", out[0]);
      std::vector<ValueList> inputs;
      for (const std::int64_t trips : {3, 0, -1})
        inputs.push_back(
            {integer(trips), integer(trips), Tensor::of<float>({1, 2}, {1, 2}), floats({2})});
      CHECK(fusions(std::move(model), inputs) == (is_shared ? 1 : 0));
    }
  }

  TEST_CASE("what else the second loop scans must be known to be as long") {
    for (const bool is_known : {true, false}) {
      TypedModel model;
      const ShapeFact long_as_x = std::vector<Dim>{Dim::symbol("T"), 2};
      const OutletId x = model.add_source("x", float_fact(long_as_x)),
                     y = model.add_source(
                         "y",
                         float_fact(is_known ? long_as_x : std::vector<Dim>{Dim::symbol("U"), 2})),
                     h = model.add_source("h0", float_fact(Shape{1, 2}));
      const OutletIds one = model.wire("first", first_loop(model.symbol_scope(), {}), {h, x});
      model.add_output("last",
                       model.wire("second", product_loop(model.symbol_scope()), {h, one[1], y})[0]);
      std::vector<ValueList> inputs;
      for (const std::int64_t count : {2, 0}) {
        const ValueList values = rows(count);
        inputs.push_back({values[0], values[0], values[1]});
      }
      CHECK(fusions(std::move(model), inputs) == (is_known ? 1 : 0));
    }
  }

  TEST_CASE("a second loop that needs more of the first than the parts stays") {
    TwoLoops begins_with_last;
    begins_with_last.between = [](TypedModel&, const OutletIds& first, OutletIds& inputs) {
      inputs[0] = first[0];
    };
    CHECK(fusions(begins_with_last.model(), {rows(3)}) == 0);

    TwoLoops by_another_node;
    by_another_node.between = [](TypedModel& model, const OutletIds& first, OutletIds& inputs) {
      inputs[0] = model.wire_one("neg", Unary{UnaryOp::neg}, {first[0]});
    };
    CHECK(fusions(by_another_node.model(), {rows(3)}) == 0);

    TwoLoops whole_stack;
    whole_stack.x = Shape{2, 2};
    whole_stack.between = [](TypedModel& model, const OutletIds& first, OutletIds& inputs) {
      inputs[1] = model.wire_one("neg", Unary{UnaryOp::neg}, {first[1]});
    };
    CHECK(fusions(whole_stack.model(), {rows(2)}) == 0);
  }

  TEST_CASE("loops that a condition may end stay apart") {
    for (const bool is_first : {true, false}) {
      TypedModel model;
      const OutletId x = model.add_source("x", float_fact(Shape{3, 2})),
                     h = model.add_source("h0", float_fact(Shape{1, 2})),
                     go_on = model.add_source("go_on", Fact::tensor(DatumType::boolean, Shape{}));
      const auto loop = [&](bool has_condition) {
        TypedModel body(model.symbol_scope());
        const OutletId again = body.add_source("again", Fact::tensor(DatumType::boolean, Shape{})),
                       sum = body.add_source("sum", float_fact(Shape{1, 2})),
                       row = body.add_source("row", float_fact(Shape{1, 2}));
        const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {sum, row});
        body.add_output("again_on", body.wire_one("not", Unary{UnaryOp::truth_not}, {again}));
        body.add_output("sum_on", next);
        body.add_output("part", next);
        Loop out;
        out.body = std::make_shared<TypedModel>(std::move(body));
        out.inputs = {{Kind::carried}, {Kind::carried}, {Kind::scanned}};
        out.outputs = {{LoopOutput::Kind::stacked, 2, 0, false}};
        if (has_condition) out.condition = 0;
        return out;
      };
      const OutletIds one = model.wire("first", loop(is_first), {go_on, h, x});
      model.add_output("all", model.wire("second", loop(!is_first), {go_on, h, one[0]})[0]);
      const ValueList values = rows(3);
      CHECK(fusions(std::move(model), {{values[0], values[1], Tensor::scalar(true)}}) == 0);
    }
  }

  TEST_CASE("a second loop that scans something else stays when the trips are not known") {
    TypedModel model;
    const OutletId m = model.add_source("m", Fact::tensor(DatumType::i64, Shape{})),
                   y = model.add_source("y", float_fact(std::vector<Dim>{Dim::symbol("T"), 2})),
                   h = model.add_source("h0", float_fact(Shape{1, 2}));
    First counted;
    counted.scan = {Kind::invariant};
    counted.has_trip_count = true;
    const OutletIds one = model.wire("first", first_loop(model.symbol_scope(), counted), {m, h, h});
    model.add_output("last",
                     model.wire("second", product_loop(model.symbol_scope()), {h, one[1], y})[0]);
    CHECK(fusions(std::move(model), {{integer(2), rows(2)[0], rows(2)[1]}}) == 0);
  }

  TEST_CASE("a second loop that scans as little as the first runs, of more rows, stays") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{3, 2})),
                   y = model.add_source("y", float_fact(Shape{2, 2})),
                   h = model.add_source("h0", float_fact(Shape{1, 2}));
    First counted;
    counted.has_trip_count = true;
    const OutletIds one = model.wire("first", first_loop(model.symbol_scope(), counted),
                                     {model.constant("m", integer(2)), h, x});
    model.add_output("last",
                     model.wire("second", product_loop(model.symbol_scope()), {h, one[1], y})[0]);
    CHECK(fusions(std::move(model), {{rows(3)[0], rows(2)[0], rows(2)[1]}}) == 0);
  }

  TEST_CASE("copies of a loop whose symbols stand for different sizes stay apart") {
    TypedModel model;
    const Dim size = model.symbols().fresh();
    TypedModel body(model.symbol_scope());
    const OutletId k = body.add_source("k", float_fact(std::vector<Dim>{size})),
                   row = body.add_source("row", float_fact(Shape{1}));
    const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {k, row});
    body.add_output("k_on", next);
    body.add_output("part", body.wire_one("part", Binary{BinaryOp::mul}, {row, row}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::scanned}};
    loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1, 0, false}};
    const OutletId x = model.add_source("x", float_fact(Shape{3})),
                   two = model.add_source("two", float_fact(Shape{2})),
                   three = model.add_source("three", float_fact(Shape{3}));
    const OutletIds one = model.wire("first", loop, {two, x}),
                    other = model.wire("second", loop, {three, one[1]});
    model.add_output("first", one[0]);
    model.add_output("second", other[0]);
    CHECK(firings_of(model, {{floats({1, 2, 3}), floats({10, 20}), floats({100, 200, 300})}},
                     "fuse_loops") == 0);
  }

  TEST_CASE("three loops in a row become one") {
    TypedModel model;
    OutletId wire = model.add_source("x", float_fact(std::vector<Dim>{Dim::symbol("T"), 2}));
    const OutletId h = model.add_source("h0", float_fact(Shape{1, 2}));
    for (const std::string name : {"a", "b", "c"})
      wire = model.wire(name, first_loop(model.symbol_scope(), {}), {h, wire})[1];
    model.add_output("sums", wire);
    const Tensor x = Tensor::of<float>({3, 2}, {1, 0, 0, 0, 0, 1});
    const Tensor zero = Tensor::of<float>({1, 2}, {0, 0});
    CHECK(firings_of(model, {{x, zero}}, "fuse_loops") == 2);
    CHECK(count_of<Loop>(model) == 1);
    check_close(run_model(model, ValueList{x, zero})[0],
                Tensor::of<float>({3, 2}, {1, 0, 3, 0, 6, 1}));
  }
}
