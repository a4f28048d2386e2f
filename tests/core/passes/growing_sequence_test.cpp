#include <doctest/doctest.h>

#include <functional>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/concat_from_sequence.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/sequence_insert.h"
#include "strata/core/ops/sequence_length.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Kind = LoopInput::Kind;

const Dim kRows = Dim::symbol("T");
const Tensor kTwoRows = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
const Tensor kNoRows = Tensor::of<float>({0, 2}, {});

/// A sequence of the rows of f32[T,2] as f32[2] items, doubled, gathered in order or in front,
/// which `read` makes the output of.
struct GrowingSequence {
  std::function<OutletId(TypedModel& model, OutletId sequence)> read;
  std::optional<std::int64_t> position;
  bool begins_empty = true;

  TypedModel model() const {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{kRows, 2}));
    const OutletId first = model.add_source("first", float_fact(Shape{1, 2}));
    const OutletId begin =
        begins_empty ? model.constant("empty", Sequence{ValueType::tensor(DatumType::f32), {}})
                     : model.wire_one("begin", SequenceConstruct{}, {first});
    TypedModel body(model.symbol_scope());
    const OutletId s = body.add_source(
                       "s", Fact::sequence(Fact::tensor(DatumType::f32, ShapeFact::open()))),
                   row = body.add_source("row", float_fact(Shape{1, 2}));
    OutletIds inputs{s, body.wire_one("item", Binary{BinaryOp::add}, {row, row})};
    if (position) inputs.push_back(body.constant("position", integer(*position)));
    body.add_output("s_on", body.wire_one("insert", SequenceInsert{}, inputs));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::scanned}};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    model.add_output("out", read(model, model.wire("loop", loop, {begin, x})[0]));
    return model;
  }
};

OutletId join_rows(TypedModel& model, OutletId sequence) {
  return model.wire_one("rows", ConcatFromSequence{0, SequenceJoin::existing_axis}, {sequence});
}
OutletId stack_last(TypedModel& model, OutletId sequence) {
  return model.wire_one("stack", ConcatFromSequence{-1, SequenceJoin::new_axis}, {sequence});
}

const ValueList kSequenceInputs{kTwoRows, Tensor::of<float>({1, 2}, {7, 8})};
const ValueList kNoSequenceInputs{kNoRows, Tensor::of<float>({1, 2}, {7, 8})};

}  // namespace

TEST_SUITE("growing sequence") {
  TEST_CASE("a sequence that is joined after the loop is a stack") {
    GrowingSequence growing{.read = join_rows, .position = {}};
    TypedModel rows = growing.model();
    CHECK(firings_of(rows, {kSequenceInputs}, "stack_growing") == 1);
    CHECK(loop_of(rows)->carried().empty());
    CHECK(count_of<ConcatFromSequence>(rows) == 0);
    check_close(run_model(rows, kSequenceInputs)[0], Tensor::of<float>({2, 2}, {2, 4, 6, 8}));

    growing.read = stack_last;
    TypedModel columns = growing.model();
    CHECK(firings_of(columns, {kSequenceInputs}, "stack_growing") == 1);
    check_close(run_model(columns, kSequenceInputs)[0], Tensor::of<float>({1, 2, 2}, {2, 6, 4, 8}));

    growing.read = join_rows;
    growing.position = 0;
    TypedModel in_front = growing.model();
    CHECK(firings_of(in_front, {kSequenceInputs}, "stack_growing") == 1);
    check_close(run_model(in_front, kSequenceInputs)[0], Tensor::of<float>({2, 2}, {6, 8, 2, 4}));
  }

  TEST_CASE("each join of a sequence is a stack of its own") {
    const GrowingSequence growing{.read =
                                      [](TypedModel& model, OutletId sequence) {
                                        model.add_output("columns", stack_last(model, sequence));
                                        return join_rows(model, sequence);
                                      },
                                  .position = {}};
    TypedModel model = growing.model();
    CHECK(firings_of(model, {kSequenceInputs}, "stack_growing") == 1);
    CHECK(loop_of(model)->carried().empty());
    CHECK(loop_of(model)->outputs.size() == 2);
  }

  TEST_CASE("a sequence that begins with items is joined to them") {
    for (const bool is_in_front : {false, true}) {
      GrowingSequence growing{.read = join_rows, .position = {}, .begins_empty = false};
      if (is_in_front) growing.position = 0;
      TypedModel model = growing.model();
      CHECK(firings_of(model, {kSequenceInputs, kNoSequenceInputs}, "stack_growing") == 1);
      CHECK(loop_of(model)->carried().empty());
      check_close(run_model(model, kSequenceInputs)[0],
                  is_in_front ? Tensor::of<float>({3, 2}, {6, 8, 2, 4, 7, 8})
                              : Tensor::of<float>({3, 2}, {7, 8, 2, 4, 6, 8}));
    }
  }

  TEST_CASE("a sequence of items of different lengths stays") {
    TypedModel model;
    const ShapeFact any_length = std::vector<Dim>{Dim::symbol("P")};
    const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{kRows}));
    const OutletId begin = model.constant("empty", Sequence{ValueType::tensor(DatumType::f32), {}});
    TypedModel body(model.symbol_scope());
    const OutletId s = body.add_source(
                       "s", Fact::sequence(Fact::tensor(DatumType::f32, ShapeFact::open()))),
                   item = body.add_source("item", float_fact(any_length)),
                   row = body.add_source("row", float_fact(Shape{1}));
    body.add_output("s_on", body.wire_one("insert", SequenceInsert{}, {s, item}));
    body.add_output("item_on", body.wire_one("longer", Concat{0}, {item, row}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::carried}, {Kind::scanned}};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    const OutletId first = model.add_source("first", float_fact(any_length));
    const OutletId last = model.wire("loop", loop, {begin, first, x})[0];
    model.add_output("out", join_rows(model, last));
    const ValueList inputs{floats({1, 2}), floats({9})};
    CHECK(firings_of(model, {inputs}, "stack_growing") == 0);
    check_close(run_model(model, inputs)[0], floats({9, 9, 1}));
  }

  TEST_CASE("a sequence that is read otherwise stays") {
    const auto length = [](TypedModel& model, OutletId sequence) {
      model.add_output("rows", join_rows(model, sequence));
      return model.wire_one("length", SequenceLength{}, {sequence});
    };
    TypedModel counted = GrowingSequence{.read = length, .position = {}}.model();
    CHECK(firings_of(counted, {kSequenceInputs}, "stack_growing") == 0);

    const auto kept = [](TypedModel& model, OutletId sequence) {
      model.add_output("rows", join_rows(model, sequence));
      return sequence;
    };
    TypedModel joined_and_kept = GrowingSequence{.read = kept, .position = {}}.model();
    CHECK(firings_of(joined_and_kept, {kSequenceInputs}, "stack_growing") == 0);

    const auto given_away = [](TypedModel&, OutletId sequence) { return sequence; };
    TypedModel output = GrowingSequence{.read = given_away, .position = {}}.model();
    CHECK(firings_of(output, {kSequenceInputs, kNoSequenceInputs}, "stack_growing") == 0);

    TypedModel before_last =
        GrowingSequence{.read = join_rows, .position = -1, .begins_empty = false}.model();
    CHECK(firings_of(before_last, {kSequenceInputs}, "stack_growing") == 0);
  }
}
