#include "strata/core/run_observer.h"

#include <doctest/doctest.h>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/sequence_length.h"
#include "strata/core/ops/support.h"
#include "strata/core/session.h"
#include "support/counting_ops.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Writes down all it hears: `(name`, `name[shape],[shape]->[shape])` and `|` for an iteration.
class Notes final : public RunObserver {
 public:
  void begin(const TypedNode& node) override { text += cat('(', node.name, ' '); }
  void end(const TypedNode& node, std::span<const TensorView> inputs,
           std::span<const MutableTensorView> outputs) override {
    text += node.name;
    for (const TensorView& input : inputs) text += cat(Span(input.shape));
    text += "->";
    for (const MutableTensorView& output : outputs) text += cat(Span(output.shape));
    text += ") ";
  }
  void iteration() override { text += "| "; }

  std::string text;
};

std::string heard(TypedModel model, const ValueList& inputs) {
  Notes notes;
  (void)Session(Plan::build(std::move(model)), {.observer = &notes}).run(inputs);
  return notes.text;
}

Tensor zeros(const Shape& shape) { return MutableTensor::zeros(DatumType::f32, shape).freeze(); }

/// v + v, `trips` times.
TypedModel doubling_loop(std::int64_t trips) {
  TypedModel body;
  const OutletId v = body.add_source("v", float_fact(Shape{3}));
  body.add_output("v_on", body.wire_one("twice", Binary{BinaryOp::add}, {v, v}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.has_trip_count = true;
  loop.inputs = {{LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  return model_of(loop, {Fact::of(Tensor::scalar(trips)), float_fact(Shape{3})}, {0});
}

}  // namespace

TEST_SUITE("run observer") {
  TEST_CASE("nodes are told in order with the shapes at hand, kernels or not") {
    for (const TypedOp& op : {TypedOp(Increment{}), TypedOp(IncrementKernel{})}) {
      TypedModel model;
      const OutletId x = model.add_source("x", float_fact({{Dim::symbol("N")}}));
      model.add_output("y", model.wire_one("b", op, {model.wire_one("a", op, {x})}));
      CHECK(heard(std::move(model), {zeros({5})}) == "(a a[5]->[5]) (b b[5]->[5]) ");
    }
  }

  TEST_CASE("a loop tells its iterations, and what its body does in them") {
    const std::string expected = "(loop | (twice twice[3][3]->[3]) | (twice twice[3][3]->[3]) ";
    CHECK(heard(doubling_loop(2), {zeros({3})}) == expected + "loop[][3]->[3]) ");
    TypedModel lowered = doubling_loop(2);
    optimise(lowered);
    CHECK(heard(std::move(lowered), {zeros({3})}) == expected + "loop[][3]->[3]) ");
  }

  TEST_CASE("a session that runs is not run again from within") {
    struct Meddler final : RunObserver {
      void begin(const TypedNode&) override {
        CHECK_THROWS_WITH_AS(session->run(ValueList{zeros({3})}),
                             doctest::Contains("while it runs"), Error);
      }
      void end(const TypedNode&, std::span<const TensorView>,
               std::span<const MutableTensorView>) override {}
      void iteration() override {}
      Session* session = nullptr;
    };
    Meddler meddler;
    Session session(Plan::build(doubling_loop(1)), {.observer = &meddler});
    meddler.session = &session;
    for (int run = 0; run < 2; ++run) CHECK_NOTHROW(session.run(ValueList{zeros({3})}));
  }

  TEST_CASE("a value that is no tensor has no elements") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{5}));
    const OutletId list = model.wire_one("list", SequenceConstruct{}, {x, x});
    model.add_output("n", model.wire_one("count", SequenceLength{}, {list}));
    CHECK(heard(std::move(model), {zeros({5})}) == "(list list[5][5]->[0]) (count count[0]->[]) ");
  }

  TEST_CASE("a node that fails does not end") {
    Notes notes;
    Limits limits;
    limits.iterations = 1;
    Session session(Plan::build(doubling_loop(2), limits), {.observer = &notes});
    const Value x = zeros({3});
    CHECK_THROWS_WITH_AS(session.run({&x, 1}), doctest::Contains("the limit iterations"), Error);
    CHECK(notes.text == "(loop | (twice twice[3][3]->[3]) ");
  }
}
