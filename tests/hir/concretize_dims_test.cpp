#include <doctest/doctest.h>

#include "strata/hir/inference_model.h"
#include "strata/hir/ops/loop.h"

using namespace strata;
using namespace strata::hir;

namespace {

InferenceFact rows() {
  return InferenceFact::tensor(DatumType::f32, PartialShape{Dim::symbol("N"), Dim(2)});
}

/// A loop of three turns whose body declares the [N,2] that it gives back.
InferenceModel kept_in_a_loop() {
  const auto body = std::make_shared<InferenceModel>();
  body->add_source("number", {});
  body->add_output("go_on", body->add_source("condition", {}));
  body->add_output("kept", body->add_source("held", rows()));
  InferenceModel model;
  const OutletId x = model.add_source("x", rows()),
                 trips = model.add_const("trips", Tensor::scalar(std::int64_t{3})),
                 truth = model.add_const("truth", Tensor::scalar(true));
  const std::uint32_t loop =
      model.add_node("loop", hir::Loop{body, 1}, {trips, truth, x}, {InferenceFact()});
  model.add_output("y", {loop, 0});
  return model;
}

std::string shape_of(InferenceModel model) {
  model.analyse();
  return model.to_typed().output_fact(0).shape.to_string();
}

}  // namespace

TEST_SUITE("hir concretize_dims") {
  TEST_CASE("one model is made for several sizes, in bodies too") {
    const InferenceModel model = kept_in_a_loop();
    CHECK(input_symbols(model) == std::vector<std::string>{"N"});
    CHECK(shape_of(hir::concretize_dims(model, {{"N", 4}})) == "[4,2]");
    CHECK(shape_of(hir::concretize_dims(model, {{"N", 8}})) == "[8,2]");
    CHECK(shape_of(model) == "[N,2]");
  }

  TEST_CASE("a size that becomes negative, and a model that was moved from, are refused") {
    InferenceModel model = kept_in_a_loop();
    CHECK_THROWS_WITH_AS(hir::concretize_dims(model, {{"N", -2}}),
                         "input \"held\" is f32[N,2], of which a size would be -2", Error);
    const InferenceModel moved = std::move(model);
    CHECK_THROWS_WITH_AS(model.analyse(), doctest::Contains("moved from"), Error);
  }

  TEST_CASE("a model that was analysed takes sizes as well") {
    InferenceModel model = kept_in_a_loop();
    model.analyse();
    CHECK(shape_of(hir::concretize_dims(model, {{"N", 4}})) == "[4,2]");
    CHECK(hir::concretize_dims(model, {{"N", 5}}).to_typed().output_fact(0).shape.to_string() ==
          "[5,2]");
  }
}
