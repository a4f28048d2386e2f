#include <doctest/doctest.h>

#include "strata/core/ops/non_zero.h"
#include "strata/core/ops/unary.h"
#include "strata/hir/inference_model.h"

using namespace strata;
using namespace strata::hir;

namespace {

/// Two core ops, the last of them `last`; counts how often it is expanded.
struct CountedRules {
  static constexpr std::string_view name = "CountedRules";
  TypedOp last = Unary{UnaryOp::neg};
  std::shared_ptr<int> count = std::make_shared<int>(0);

  OutletIds wire(Builder& b, const OutletIds& in) const {
    ++*count;
    return {b.one(last, {b.one(Unary{UnaryOp::abs}, in)})};
  }
};
static_assert(InferenceOpDef<CountedRules>);

/// y0 = op(x), y1 = op(x), … for an x of this shape.
InferenceModel model_of(const CountedRules& op, PartialShape shape, int nodes = 1) {
  InferenceModel model;
  const OutletId x = model.add_source("x", InferenceFact::tensor(DatumType::f32, std::move(shape)));
  for (int i = 0; i < nodes; ++i) {
    const std::string name = cat("y", i);
    model.add_output(name, {model.add_node(name, op, {x}, {{}}), 0});
  }
  return model;
}

std::string dump(const TypedModel& model) {
  std::string out;
  for (const TypedNode& node : model.nodes())
    out += cat(node.name, ' ', node.op.name(), ' ', node.outputs[0].fact, '\n');
  return out;
}

}  // namespace

TEST_SUITE("trial") {
  TEST_CASE("what a node is expanded into while analysing is what it becomes") {
    const CountedRules op;
    InferenceModel model = model_of(op, {Dim::symbol("N"), Dim(3)});
    const std::string expanded = dump(model.to_typed());
    CHECK(*op.count == 1);
    model.analyse();
    CHECK(*op.count == 2);
    CHECK(dump(model.to_typed()) == expanded);
    CHECK(dump(model.to_typed()) == expanded);
    CHECK(*op.count == 2);
  }

  TEST_CASE("inputs of other facts have it expanded again") {
    const CountedRules op;
    InferenceModel model = model_of(op, {std::nullopt});
    model.analyse();
    const int before = *op.count;
    const TypedModel typed =
        model.expand({Fact::tensor(DatumType::f32, Shape{5})}, model.symbol_scope());
    CHECK(*op.count == before + 1);
    CHECK(typed.output_fact(0).to_string() == "f32[5]");
  }

  TEST_CASE("an op that is another one since analysis is the one that counts") {
    InferenceModel model = model_of(CountedRules(), {Dim(2)});
    model.analyse();
    model.set_op(model.outputs()[0].outlet.node, CountedRules{.last = Unary{UnaryOp::exp}});
    const TypedModel typed = model.to_typed();
    CHECK(typed.node(typed.outputs()[0].outlet.node).op == TypedOp(Unary{UnaryOp::exp}));
  }

  TEST_CASE("sizes that only the run tells stay apart") {
    InferenceModel model = model_of(CountedRules{.last = NonZero{}}, {Dim(4)}, 2);
    model.analyse();
    const TypedModel typed = model.to_typed();
    const Dim first = typed.output_fact(0).shape[1], second = typed.output_fact(1).shape[1];
    CHECK(!first.is_constant());
    CHECK(!(first == second));
    const Dim next = model.symbol_scope()->fresh();
    CHECK(!(next == first));
    CHECK(!(next == second));
  }
}
