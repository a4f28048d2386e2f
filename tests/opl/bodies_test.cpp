#include <doctest/doctest.h>

#include <string>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/unary.h"
#include "strata/core/session.h"
#include "strata/opl/model.h"
#include "support/op_case.h"

namespace strata::opl {
namespace {

/// Three iterations of h = h + step, whose values are stacked as well.
TypedModel counting_loop() {
  TypedModel model;
  const Fact fact = Fact::tensor(DatumType::f32, Shape{2});
  auto body = std::make_shared<TypedModel>(model.symbol_scope());
  const OutletId step = body->add_source("step", fact);
  const OutletId h = body->add_source("h", fact);
  const OutletId next = body->wire_one("next", strata::Binary{BinaryOp::add}, {h, step});
  body->add_output("h_out", next);
  body->add_output("h_scan", next);
  Loop loop;
  loop.body = body;
  loop.inputs = {{LoopInput::Kind::invariant}, {LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1}};
  loop.has_trip_count = true;
  const OutletId x = model.add_source("x", fact);
  const OutletId trips = model.constant("trips", Tensor::scalar<std::int64_t>(3));
  const OutletIds out = model.wire("loop/1", loop, {trips, x, x});
  model.add_output("last", out[0]);
  model.add_output("all", out[1]);
  return model;
}

}  // namespace

TEST_CASE("a loop's body is a fragment") {
  const TypedModel model = counting_loop();
  const std::string text = to_text(model);
  INFO(text);
  CHECK(text.find("fragment loop_1_body(") != std::string::npos);
  CHECK(text.find("body = \"loop_1_body\"") != std::string::npos);
  const TypedModel read = from_text(text);
  CHECK(to_text(read) == text);
  const Tensor x = Tensor::of<float>(Shape{2}, {1, 2});
  const ValueList actual = run_model(read, ValueList{x});
  CHECK((actual[0].tensor() == Tensor::of<float>(Shape{2}, {4, 8})));
  CHECK((actual[1].tensor() == Tensor::of<float>(Shape{6}, {2, 4, 3, 6, 4, 8})));
}

TEST_CASE("both branches of an if are fragments, and bodies nest") {
  TypedModel model;
  const auto loop = std::make_shared<TypedModel>(counting_loop());
  auto other = std::make_shared<TypedModel>(model.symbol_scope());
  const OutletId inner = other->add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
  other->add_output("last", other->wire_one("n", strata::Unary{UnaryOp::neg}, {inner}));
  other->add_output("all", other->wire_one("a", strata::Unary{UnaryOp::abs}, {inner}));
  const OutletId condition = model.add_source("c", Fact::tensor(DatumType::boolean, Shape{}));
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
  const OutletIds out = model.wire("choice", If{loop, other}, {condition, x});
  model.add_output("last", out[0]);
  const std::string text = to_text(model);
  INFO(text);
  const TypedModel read = from_text(text);
  CHECK(to_text(read) == text);
  const Tensor value = Tensor::of<float>(Shape{2}, {1, 2});
  CHECK((run_model(read, ValueList{Tensor::scalar(true), value})[0].tensor() ==
         Tensor::of<float>(Shape{2}, {4, 8})));
  CHECK((run_model(read, ValueList{Tensor::scalar(false), value})[0].tensor() ==
         Tensor::of<float>(Shape{2}, {-1, -2})));
}

TEST_CASE("a body that does not exist is told with its place") {
  const std::string text =
      "version 1.0;\n\ngraph network(x) -> (y) {\n    x = external(shape = [2]);\n"
      "    y = strata_loop(3, x, body = \"nothing\", has_trip_count = true);\n}\n";
  CHECK_THROWS_WITH_AS(from_text(text),
                       doctest::Contains("graph.nnef:5:34: no fragment is named \"nothing\""),
                       Error);
}

}  // namespace strata::opl
