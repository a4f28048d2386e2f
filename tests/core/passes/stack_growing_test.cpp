#include <doctest/doctest.h>

#include <functional>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/unary.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Kind = LoopInput::Kind;

const Dim kRows = Dim::symbol("T"), kSize = Dim::symbol("C");

/// Concat of the carried tensor and the part, first or last.
OutletId grown(TypedModel& body, OutletId carried, OutletId part) {
  return body.wire_one("grown", Concat{0}, {carried, part});
}
OutletId grown_in_front(TypedModel& body, OutletId carried, OutletId part) {
  return body.wire_one("grown", Concat{0}, {part, carried});
}

using Grow = std::function<OutletId(TypedModel& body, OutletId carried, OutletId part)>;

/// Rows x of f32[T,W] doubled, gathered in a carried tensor that begins as `initial`.
struct Growing {
  Grow grow = grown;
  Fact initial = Fact::of(Tensor::of<float>({0, 2}, {}));
  Dim rows = kRows, width = 2, carried_width = width;
  LoopOutput output{LoopOutput::Kind::last, 0};

  TypedModel model() const {
    TypedModel body;
    const OutletId carried =
                       body.add_source("c", float_fact(std::vector<Dim>{kSize, carried_width})),
                   row = body.add_source("row", float_fact(std::vector<Dim>{1, width}));
    const OutletId part = body.wire_one("part", Binary{BinaryOp::add}, {row, row});
    body.add_output("c_on", grow(body, carried, part));
    body.add_output("part", part);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::scanned}};
    loop.outputs = {output};
    return model_of(loop, {initial, float_fact(std::vector<Dim>{rows, width})}, {0});
  }
};

const Tensor kTwoRows = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
const Tensor kOneRow = Tensor::of<float>({1, 2}, {1, 2});
const Tensor kNoRows = Tensor::of<float>({0, 2}, {});

}  // namespace

TEST_SUITE("stack growing") {
  TEST_CASE("a tensor that begins empty and grows is a stack") {
    TypedModel model = Growing{}.model();
    CHECK(firings_of(model, {{kTwoRows}, {kNoRows}}, "stack_growing") == 1);
    REQUIRE(loop_of(model) != nullptr);
    CHECK(loop_of(model)->carried().empty());
    CHECK(count_of<Concat>(model) == 0);
    check_close(run_model(model, ValueList{kTwoRows})[0], Tensor::of<float>({2, 2}, {2, 4, 6, 8}));
    check_close(run_model(model, ValueList{kNoRows})[0], kNoRows);
  }

  TEST_CASE("what grows in front is a stack of the last part first") {
    Growing growing;
    growing.grow = grown_in_front;
    TypedModel model = growing.model();
    CHECK(firings_of(model, {{kTwoRows}, {kNoRows}}, "stack_growing") == 1);
    CHECK(loop_of(model)->carried().empty());
    check_close(run_model(model, ValueList{kTwoRows})[0], Tensor::of<float>({2, 2}, {6, 8, 2, 4}));
  }

  TEST_CASE("what there is at first is joined once, after the loop") {
    for (const bool is_in_front : {false, true}) {
      Growing growing;
      growing.initial = float_fact(std::vector<Dim>{Dim::symbol("K"), 2});
      if (is_in_front) growing.grow = grown_in_front;
      TypedModel model = growing.model();
      const Tensor first = Tensor::of<float>({1, 2}, {7, 8});
      CHECK(firings_of(model, {{first, kTwoRows}, {first, kNoRows}, {kNoRows, kTwoRows}},
                       "stack_growing") == 1);
      CHECK(loop_of(model)->carried().empty());
      CHECK(count_of<Concat>(model) == 1);
      check_close(run_model(model, ValueList{first, kTwoRows})[0],
                  is_in_front ? Tensor::of<float>({3, 2}, {6, 8, 2, 4, 7, 8})
                              : Tensor::of<float>({3, 2}, {7, 8, 2, 4, 6, 8}));
    }
  }

  TEST_CASE("several parts are joined to one") {
    Growing growing;
    growing.grow = [](TypedModel& body, OutletId carried, OutletId part) {
      const OutletId minus = body.wire_one("minus", Unary{UnaryOp::neg}, {part});
      return body.wire_one("grown", Concat{0}, {carried, part, minus});
    };
    TypedModel model = growing.model();
    CHECK(firings_of(model, {{kTwoRows}, {kNoRows}}, "stack_growing") == 1);
    check_close(run_model(model, ValueList{kTwoRows})[0],
                Tensor::of<float>({4, 2}, {2, 4, -2, -4, 6, 8, -6, -8}));
  }

  TEST_CASE("parts on both sides stay") {
    Growing growing;
    growing.grow = [](TypedModel& body, OutletId carried, OutletId part) {
      return body.wire_one("grown", Concat{0}, {part, carried, part});
    };
    TypedModel model = growing.model();
    CHECK(firings_of(model, {{kTwoRows}, {kNoRows}}, "stack_growing") == 0);
  }

  TEST_CASE("a value that is joined to itself is not stacked") {
    Growing growing;
    growing.initial = Fact::of(Tensor::of<float>({1, 2}, {7, 8}));
    growing.grow = [](TypedModel& body, OutletId carried, OutletId part) {
      return body.wire_one("grown", Concat{0}, {carried, part, carried});
    };
    TypedModel model = growing.model();
    CHECK(firings_of(model, {{kTwoRows}, {kNoRows}}, "stack_growing") == 0);
  }

  TEST_CASE("what the body reads as well stays") {
    for (const bool is_read_grown : {false, true}) {
      TypedModel body;
      const OutletId carried = body.add_source("c", float_fact(std::vector<Dim>{kSize, 2})),
                     row = body.add_source("row", float_fact(Shape{1, 2}));
      const OutletId next = grown(body, carried, row);
      body.add_output("c_on", next);
      body.add_output("seen",
                      body.wire_one("seen", Unary{UnaryOp::neg}, {is_read_grown ? next : carried}));
      Loop loop;
      loop.body = std::make_shared<TypedModel>(std::move(body));
      loop.inputs = {{Kind::carried}, {Kind::scanned}};
      loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1, 0, false}};
      TypedModel model =
          model_of(loop, {Fact::of(kNoRows), float_fact(std::vector<Dim>{kRows, 2})}, {0, 1});
      CHECK(firings_of(model, {{kOneRow}, {kNoRows}}, "stack_growing") == 0);
    }
  }

  TEST_CASE("what is stacked whole stays") {
    TypedModel body;
    const OutletId carried = body.add_source("c", float_fact(std::vector<Dim>{kSize, 2})),
                   row = body.add_source("row", float_fact(Shape{1, 2}));
    body.add_output("c_on", grown(body, carried, row));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::scanned}};
    loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 0, 0, false}};
    TypedModel model =
        model_of(loop, {Fact::of(kNoRows), float_fact(std::vector<Dim>{kRows, 2})}, {0, 1});
    CHECK(firings_of(model, {{kOneRow}, {kNoRows}}, "stack_growing") == 0);
  }

  TEST_CASE("a size off the axis that only the run tells needs an iteration for sure") {
    Growing growing;
    growing.width = growing.carried_width = Dim::symbol("W");
    growing.initial = float_fact(std::vector<Dim>{Dim::symbol("K"), growing.width});
    TypedModel maybe_none = growing.model();
    CHECK(firings_of(maybe_none, {{kNoRows, kTwoRows}, {kTwoRows, kNoRows}}, "stack_growing") == 0);
    growing.rows = 2;
    TypedModel surely_some = growing.model();
    CHECK(firings_of(surely_some, {{kNoRows, kTwoRows}, {kTwoRows, kTwoRows}}, "stack_growing") ==
          1);
  }

  TEST_CASE("an initial value of another shape may be the result, so it stays") {
    Growing growing;
    growing.initial = Fact::of(Tensor::of<float>({0, 5}, {}));
    growing.carried_width = Dim::symbol("V");
    TypedModel model = growing.model();
    CHECK(firings_of(model, {{kNoRows}}, "stack_growing") == 0);
  }

  TEST_CASE("parts of different lengths stay") {
    TypedModel body;
    const OutletId carried = body.add_source("c", float_fact(std::vector<Dim>{kSize})),
                   part = body.add_source("p", float_fact(std::vector<Dim>{Dim::symbol("P")})),
                   row = body.add_source("row", float_fact(Shape{1}));
    body.add_output("c_on", grown(body, carried, part));
    body.add_output("p_on", body.wire_one("longer", Concat{0}, {part, row}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::carried}, {Kind::scanned}};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    TypedModel model = model_of(
        loop, {Fact::of(floats({})), float_fact(Shape{1}), float_fact(std::vector<Dim>{kRows})},
        {0});
    const ValueList inputs{floats({9}), floats({1, 2})};
    CHECK(firings_of(model, {inputs}, "stack_growing") == 0);
    check_close(run_model(model, inputs)[0], floats({9, 9, 1}));
  }
}
