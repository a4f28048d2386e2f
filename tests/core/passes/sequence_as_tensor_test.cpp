#include <doctest/doctest.h>

#include <functional>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/concat_from_sequence.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/sequence_insert.h"
#include "strata/core/ops/sequence_length.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unary.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Kind = LoopInput::Kind;

/// v = the sum of the absolute values of all items so far, where each iteration adds v to the
/// items.
struct Summing {
  enum class Read { grown, before, both };
  Read read = Read::grown;
  ConcatFromSequence inside{0, SequenceJoin::existing_axis};
  ConcatFromSequence outside{0, SequenceJoin::existing_axis};
  std::optional<std::int64_t> position;
  bool begins_empty = true;
  bool counts_items = false;  ///< in the body
  bool is_turned = false;     ///< the joined items are, and back
  ShapeFact item = Shape{1, 2}, first = item;

  TypedModel model() const {
    TypedModel model;
    const OutletId trips = model.add_source("trips", Fact::tensor(DatumType::i64, Shape{})),
                   v = model.add_source("v", float_fact(item)),
                   items = model.add_source("first", float_fact(first));
    const OutletId begin =
        begins_empty ? model.constant("empty", Sequence{ValueType::tensor(DatumType::f32), {}})
                     : model.wire_one("begin", SequenceConstruct{}, {items, items});
    const OutletIds out = model.wire("loop", loop(model.symbol_scope()), {trips, v, begin});
    model.add_output("v_last", out[0]);
    model.add_output("joined", model.wire_one("outside", outside, {out[1]}));
    return model;
  }

  Loop loop(const std::shared_ptr<SymbolScope>& symbols) const {
    TypedModel body(symbols);
    const OutletId v = body.add_source("v", float_fact(item)),
                   s = body.add_source(
                       "s", Fact::sequence(Fact::tensor(DatumType::f32, ShapeFact::open())));
    OutletIds inputs{s, v};
    if (position) inputs.push_back(body.constant("position", integer(*position)));
    const OutletId grown = body.wire_one("insert", SequenceInsert{}, inputs);
    const OutletId axis = body.constant("axis", Tensor::of<std::int64_t>({1}, {0}));
    const auto sum = [&](OutletId sequence) {
      const OutletId all = body.wire_one("all", inside, {sequence});
      const Reduce reduce{Reduction::sum, inside.join == SequenceJoin::existing_axis};
      const TypedOp turn = Transpose{{1, 0}};
      const OutletId turned = is_turned ? body.wire_one("turned", turn, {all}) : all;
      const OutletId abs = body.wire_one("abs", Unary{UnaryOp::abs}, {turned});
      const OutletId back = is_turned ? body.wire_one("back", turn, {abs}) : abs;
      return body.wire_one("sum", reduce, {back, axis});
    };
    OutletId next = read == Read::before ? sum(s) : sum(grown);
    if (read == Read::both) next = body.wire_one("more", Binary{BinaryOp::add}, {next, sum(s)});
    body.add_output("v_on", next);
    body.add_output("s_on", grown);
    if (counts_items) body.add_output("length", body.wire_one("length", SequenceLength{}, {grown}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{Kind::carried}, {Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::last, 1}};
    loop.has_trip_count = true;
    return loop;
  }
};

ValueList inputs_for(std::int64_t trips) {
  return {integer(trips), Tensor::of<float>({1, 2}, {1, 2}), Tensor::of<float>({1, 2}, {7, 8})};
}

bool has_sequences(const TypedModel& model) {
  for (const TypedNode& node : model.nodes()) {
    for (const Body& body : node.op.bodies())
      if (has_sequences(*body)) return true;
    for (const auto& outlet : node.outputs)
      if (outlet.fact.kind == ValueType::Kind::sequence) return true;
  }
  return false;
}

void check_stays(const Summing& summing, const std::vector<ValueList>& inputs) {
  TypedModel model = summing.model();
  CHECK(firings_of(model, inputs, "sequence_as_tensor") == 0);
  CHECK(has_sequences(model));
}

}  // namespace

TEST_SUITE("sequence as tensor") {
  TEST_CASE("a sequence that is joined in every iteration becomes the tensor it is joined to") {
    TypedModel model = Summing{}.model();
    CHECK(firings_of(model, {inputs_for(3), inputs_for(1)}, "sequence_as_tensor") == 1);
    CHECK_FALSE(has_sequences(model));
    REQUIRE(loop_of(model) != nullptr);
    CHECK(count_of<Concat>(*loop_of(model)->body) == 1);
    // Items (1,2), (1,2), (2,4); the sum of all is (4,8).
    const ValueList out = run_model(model, inputs_for(3));
    check_close(out[0], Tensor::of<float>({1, 2}, {4, 8}));
    check_close(out[1], Tensor::of<float>({3, 2}, {1, 2, 1, 2, 2, 4}));
  }

  TEST_CASE("the sizes in the body go by the size of the tensor") {
    Summing summing;
    summing.is_turned = true;
    TypedModel model = summing.model();
    CHECK(firings_of(model, {inputs_for(3)}, "sequence_as_tensor") == 1);
    const TypedModel& body = *loop_of(model)->body;
    REQUIRE(count_of<Transpose>(body) == 2);
    for (std::uint32_t id = 0; id < body.nodes().size(); ++id) {
      if (!body.node(id).op.as<Transpose>()) continue;
      const ShapeFact &in = body.fact(body.node(id).inputs[0]).shape,
                      &out = body.fact({id, 0}).shape;
      CHECK(in == ShapeFact(std::vector<Dim>{out[1], out[0]}));
    }
  }

  TEST_CASE("items that are stacked on a new axis get it before they are joined") {
    for (const std::int64_t axis : {0, -3}) {
      Summing summing;
      summing.inside = summing.outside = {0, SequenceJoin::new_axis};
      summing.outside.axis = axis;
      TypedModel model = summing.model();
      CHECK(firings_of(model, {inputs_for(3)}, "sequence_as_tensor") == 1);
      CHECK_FALSE(has_sequences(model));
      check_close(run_model(model, inputs_for(3))[1],
                  Tensor::of<float>({3, 1, 2}, {1, 2, 1, 2, 2, 4}));
    }
  }

  TEST_CASE("items in front stay in front") {
    Summing summing;
    summing.position = 0;
    TypedModel model = summing.model();
    CHECK(firings_of(model, {inputs_for(3)}, "sequence_as_tensor") == 1);
    check_close(run_model(model, inputs_for(3))[1], Tensor::of<float>({3, 2}, {2, 4, 1, 2, 1, 2}));
  }

  TEST_CASE("a sequence that begins with items may be read before it grows") {
    for (const auto read : {Summing::Read::before, Summing::Read::grown, Summing::Read::both}) {
      Summing summing;
      summing.begins_empty = false;
      summing.read = read;
      TypedModel model = summing.model();
      CHECK(firings_of(model, {inputs_for(3), inputs_for(1), inputs_for(0)},
                       "sequence_as_tensor") == 1);
      CHECK_FALSE(has_sequences(model));
      check_close(run_model(model, inputs_for(0))[1], Tensor::of<float>({2, 2}, {7, 8, 7, 8}));
    }
  }

  TEST_CASE("a join of nothing is left to fail in the run") {
    Summing summing;
    summing.read = Summing::Read::before;
    check_stays(summing, {});
    TypedModel model = summing.model();
    CHECK_THROWS_WITH_AS(run_model(model, inputs_for(1)),
                         doctest::Contains("(C3) an empty sequence"), Error);
  }

  TEST_CASE("joins along different axes keep the sequence") {
    Summing axes;
    axes.outside.axis = 1;
    check_stays(axes, {inputs_for(2)});
    Summing joins;
    joins.outside.join = SequenceJoin::new_axis;
    check_stays(joins, {inputs_for(2)});
  }

  TEST_CASE("a sequence that is read otherwise stays") {
    TypedModel model;
    Summing summing;
    summing.counts_items = true;
    const OutletId trips = model.add_source("trips", Fact::tensor(DatumType::i64, Shape{})),
                   v = model.add_source("v", float_fact(Shape{1, 2}));
    const OutletId begin = model.constant("empty", Sequence{ValueType::tensor(DatumType::f32), {}});
    Loop loop = summing.loop(model.symbol_scope());
    TypedModel body = *loop.body;
    loop.inputs.push_back({Kind::carried});
    body.add_source("length_before", Fact::tensor(DatumType::i64, Shape{}));
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::last, 2}};
    const OutletIds out =
        model.wire("loop", loop, {trips, v, begin, model.constant("zero", integer(0))});
    model.add_output("v_last", out[0]);
    model.add_output("length", out[1]);
    const ValueList inputs{integer(2), Tensor::of<float>({1, 2}, {1, 2})};
    CHECK(firings_of(model, {inputs}, "sequence_as_tensor") == 0);
    check_close(run_model(model, inputs)[1], integer(2));
  }

  TEST_CASE("items at first of another shape may be the result, so they stay") {
    Summing summing;
    summing.begins_empty = false;
    summing.first = std::vector<Dim>{1, Dim::symbol("V")};
    check_stays(summing, {inputs_for(2), inputs_for(0)});
  }

  TEST_CASE(
      "items of a size off the axis that only the run tells stay, when there are none at first") {
    Summing summing;
    summing.item = std::vector<Dim>{1, Dim::symbol("W")};
    check_stays(summing, {inputs_for(2)});
  }
}
