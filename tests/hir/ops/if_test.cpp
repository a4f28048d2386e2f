#include "strata/hir/ops/if.h"

#include <doctest/doctest.h>

#include "strata/core/ops/if.h"
#include "strata/core/ops/non_zero.h"
#include "strata/hir/ops/concat.h"
#include "strata/hir/ops/with_operands.h"

using namespace strata;
using namespace strata::hir;

namespace {

InferenceFact f32(PartialShape shape) {
  return InferenceFact::tensor(DatumType::f32, std::move(shape));
}

/// out = If(cond, x) of two branches that apply `op` to `reads` times x.
struct Choice {
  InferenceModel model;
  std::uint32_t node;

  Choice(const InferenceOp& op, std::size_t reads) {
    const OutletId cond =
        model.add_source("cond", InferenceFact::tensor(DatumType::boolean, PartialShape{}));
    const OutletId x = model.add_source("x", f32({Dim::symbol("N")}));
    const auto branch = [&] {
      auto body = std::make_shared<InferenceModel>(model.symbol_scope());
      const OutletId in = body->add_source("x", {});
      body->add_output("y", {body->add_node("y", op, OutletIds(reads, in), {{}}), 0});
      return body;
    };
    node = model.add_node("if", hir::If{branch(), branch()}, {cond, x}, {{}});
    model.add_output("out", {node, 0});
  }

  static Body then_body(const TypedModel& typed) {
    return typed.node(typed.outputs()[0].outlet.node).op.as<strata::If>()->then_body;
  }
};

}  // namespace

TEST_SUITE("If") {
  TEST_CASE("branches that analysis tried are expanded once") {
    Choice choice(hir::Concat{0}, 2);
    choice.model.analyse();
    CHECK(choice.model.fact({choice.node, 0}).to_string() == "f32[2*N]");
    const TypedModel first = choice.model.to_typed(), second = choice.model.to_typed();
    CHECK(first.output_fact(0).to_string() == "f32[2*N]");
    CHECK(Choice::then_body(first) == Choice::then_body(second));
    CHECK(Choice::then_body(first)->symbol_scope() == choice.model.symbol_scope());
  }

  TEST_CASE("branches are expanded anew for other values") {
    Choice choice(hir::Concat{0}, 2);
    choice.model.analyse();
    const TypedModel any = choice.model.to_typed();
    const TypedModel three = choice.model.expand(
        {Fact::tensor(DatumType::boolean, Shape{}), Fact::tensor(DatumType::f32, Shape{3})},
        choice.model.symbol_scope());
    CHECK(Choice::then_body(three)->output_fact(0).to_string() == "f32[6]");
    CHECK(Choice::then_body(any)->output_fact(0).to_string() == "f32[2*N]");
  }

  TEST_CASE("sizes that only the run can tell are new ones each time") {
    Choice choice(hir::Direct{NonZero{}}, 1);
    choice.model.analyse();
    const TypedModel first = choice.model.to_typed(), second = choice.model.to_typed();
    CHECK(Choice::then_body(first) != Choice::then_body(second));
    CHECK(Choice::then_body(first)->output_fact(0) != Choice::then_body(second)->output_fact(0));
  }
}
