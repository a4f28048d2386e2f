#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/loop.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"

using namespace strata;

namespace {

const Fact kRows = Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 2}});

/// y = x joined with x, for x of [N,2].
TypedModel doubling() {
  TypedModel model;
  const OutletId x = model.add_source("x", kRows);
  model.add_output("y", model.wire_one("y", Concat{0}, {x, x}));
  return model;
}

/// A loop of three turns whose body gives back the [N,2] that it is given.
TypedModel kept_in_a_loop() {
  TypedModel model;
  auto body = std::make_shared<TypedModel>(model.symbol_scope());
  body->add_output("kept", body->add_source("held", kRows));
  Loop loop;
  loop.body = body;
  loop.inputs = {{LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last}};
  loop.has_trip_count = true;
  const OutletId trips = model.constant("trips", Tensor::scalar(std::int64_t{3}));
  model.add_output("y", model.wire_one("y", loop, {trips, model.add_source("x", kRows)}));
  return model;
}

}  // namespace

TEST_SUITE("concretize_dims") {
  TEST_CASE("a symbol's size reaches every fact") {
    const TypedModel model = concretize_dims(doubling(), {{"N", 4}});
    CHECK(model.input_fact(0).to_string() == "f32[4,2]");
    CHECK(model.output_fact(0).to_string() == "f32[8,2]");
  }

  TEST_CASE("one model is made for several sizes, in bodies too") {
    const TypedModel model = kept_in_a_loop();
    for (const std::int64_t size : {4, 8}) {
      const TypedModel sized = concretize_dims(model, {{"N", size}});
      const std::string fact = cat("f32[", size, ",2]");
      CHECK(sized.output_fact(0).to_string() == fact);
      const TypedNode& loop = sized.node(sized.outputs()[0].outlet.node);
      CHECK(loop.op.bodies()[0]->input_fact(0).to_string() == fact);
    }
    CHECK(model.output_fact(0).to_string() == "f32[N,2]");
  }

  TEST_CASE("what a model was lowered for stays known, for what a run lowers") {
    TypedModel model = doubling();
    Target target;
    target.winograd = Winograd::never;
    optimise(model, target);
    const TypedModel sized = concretize_dims(model, {{"N", 4}});
    REQUIRE(sized.target());
    CHECK(sized.target()->winograd == Winograd::never);
  }

  TEST_CASE("a symbol may become an expression of another") {
    const TypedModel model = concretize_dims(doubling(), {{"N", Dim::symbol("M") + 1}});
    CHECK(model.output_fact(0).to_string() == "f32[2*M+2,2]");
  }

  TEST_CASE("the symbols of the inputs are listed") {
    CHECK(input_symbols(doubling()) == std::vector<std::string>{"N"});
    CHECK(input_symbols(concretize_dims(doubling(), {{"N", 4}})).empty());
  }

  TEST_CASE("sizes that an op does not allow name its node") {
    TypedModel model;
    const OutletId x = model.add_source("x", kRows),
                   y = model.add_source("y", Fact::tensor(DatumType::f32, {{3, Dim::symbol("M")}}));
    model.add_output("z", model.wire_one("z", Concat{0}, {x, y}));
    CHECK_THROWS_WITH_AS(concretize_dims(model, {{"M", 5}}), doctest::Contains("in Concat \"z\""),
                         Error);
    CHECK_THROWS_WITH_AS(concretize_dims(doubling(), {{"N", -1}}),
                         "input \"x\" is f32[N,2], of which a size would be -1", Error);
  }
}

TEST_SUITE("with_constants") {
  TEST_CASE("an input becomes a constant") {
    const Value x = Tensor::of<float>({1, 2}, {1, 2});
    const Value* given[] = {&x};
    const TypedModel model = with_constants(doubling(), given);
    CHECK(model.inputs().empty());
    CHECK(run_model(model, {})[0] == Value(Tensor::of<float>({2, 2}, {1, 2, 1, 2})));
  }

  TEST_CASE("there is a value for each input, if null") {
    CHECK(with_constants(doubling(), std::vector<const Value*>{nullptr}).inputs().size() == 1);
    CHECK_THROWS_WITH_AS(with_constants(doubling(), {}), "a model of 1 input is given 0 values",
                         Error);
  }
}
