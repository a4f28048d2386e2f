#include <doctest/doctest.h>

#include "strata/core/ops/unary.h"
#include "support/integers.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// sum + op(a, b) * x, stacked, over invariants a and b.
TypedModel loop_over(BinaryOp op, DatumType type, ShapeFact xs) {
  TypedModel body;
  const Fact one = Fact::tensor(type, Shape{1});
  const OutletId a = body.add_source("a", one), b = body.add_source("b", one),
                 sum = body.add_source("sum", one), x = body.add_source("x", one);
  const OutletId both = body.wire_one("both", Binary{op}, {a, b});
  const OutletId scaled = body.wire_one("scaled", Binary{BinaryOp::mul}, {both, x});
  const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {sum, scaled});
  body.add_output("sum_on", next);
  body.add_output("row", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::invariant},
                 {LoopInput::Kind::invariant},
                 {LoopInput::Kind::carried},
                 kScanned};
  loop.outputs = {kStacked};
  return model_of(loop, {one, one, one, Fact::tensor(type, std::move(xs))}, {0});
}

const ShapeFact kAnyLength = std::vector<Dim>{Dim::symbol("T")};

std::size_t binaries(const TypedModel& model, BinaryOp op) {
  std::size_t count = 0;
  for (const TypedNode& node : model.nodes())
    if (!node.erased && node.op.as<Binary>() && node.op.as<Binary>()->op == op) ++count;
  return count;
}

}  // namespace

TEST_SUITE("hoist invariant code") {
  TEST_CASE("what depends on invariants alone is computed before the loop") {
    TypedModel model = loop_over(BinaryOp::sub, DatumType::f32, kAnyLength);
    CHECK(declutter_and_compare(model, {floats({7}), floats({2}), floats({1}), floats({1, 2, 3})},
                                "hoist_invariant_code") == 1);
    REQUIRE(loop_of(model) != nullptr);
    CHECK(binaries(model, BinaryOp::sub) == 1);
    CHECK(binaries(*loop_of(model)->body, BinaryOp::sub) == 0);
    // 1 + 5, + 10, + 15
    const ValueList out =
        run_model(model, ValueList{floats({7}), floats({2}), floats({1}), floats({1, 2, 3})});
    check_close(out[0], floats({6, 16, 31}));
  }

  TEST_CASE("a division of integers stays where the loop may not run, and runs with no trip") {
    TypedModel model = loop_over(BinaryOp::div, DatumType::i64, kAnyLength);
    CHECK(declutter_and_compare(model, {integers({7}), integers({0}), integers({1}), integers({})},
                                "hoist_invariant_code") == 0);
  }

  TEST_CASE("a division of integers moves where the loop surely runs") {
    TypedModel model = loop_over(BinaryOp::div, DatumType::i64, Shape{3});
    CHECK(declutter_and_compare(model,
                                {integers({7}), integers({2}), integers({1}), integers({1, 2, 3})},
                                "hoist_invariant_code") == 1);
  }

  TEST_CASE("what depends on a carried value stays") {
    TypedModel model = running_sum_model(kAnyLength, kScanned, kStacked);
    CHECK(declutter_and_compare(model, {floats({1}), floats({1, 2})}, "hoist_invariant_code") == 0);
  }
}
