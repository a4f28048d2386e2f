#include "strata/hir/ops/loop.h"

#include <doctest/doctest.h>

#include "strata/core/error.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/unary.h"
#include "strata/hir/inference_model.h"

using namespace strata;
using namespace strata::hir;

namespace {

/// A condition that a run tells, and the value, after another loop of so many levels around the
/// value.
InferenceBody nested(std::size_t levels) {
  const auto body = std::make_shared<InferenceModel>();
  body->add_source("number", {});
  body->add_source("condition", {});
  OutletId value = body->add_source("value", {});
  const auto add = [&](const char* name, InferenceOp op, const OutletIds& in) {
    return OutletId{body->add_node(name, std::move(op), in, {InferenceFact()}), 0};
  };
  if (levels > 0) {
    const OutletId trips = body->add_const("trips", Tensor::scalar(std::int64_t{2})),
                   truth = body->add_const("truth", Tensor::scalar(true));
    value = add("inner", hir::Loop{nested(levels - 1), 1}, {trips, truth, value});
  }
  const OutletId odd = add("odd", Direct{Unary{UnaryOp::is_nan}}, {value});
  body->add_output("go_on", add("any", Direct{Reduce{Reduction::max, false}}, {odd}));
  body->add_output("value_on", value);
  return body;
}

TypedModel typed(std::size_t levels) {
  InferenceModel model;
  const OutletId x = model.add_source("x", InferenceFact(Fact::tensor(DatumType::f32, Shape{2})));
  const OutletId trips = model.add_const("trips", Tensor::scalar(std::int64_t{2})),
                 truth = model.add_const("truth", Tensor::scalar(true));
  const std::uint32_t loop =
      model.add_node("loop", hir::Loop{nested(levels), 1}, {trips, truth, x}, {InferenceFact()});
  model.add_output("y", {loop, 0});
  return model.to_typed();
}

}  // namespace

TEST_SUITE("hir Loop") {
  TEST_CASE(
      "loops in loops, whose bodies are expanded for each thing that is learnt, meet a limit") {
    CHECK(typed(3).output_fact(0).shape.to_string() == "[2]");
    try {
      (void)typed(40);
      FAIL("it took as long as it took");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::limit);
      CHECK(error.message().find("nested bodies expand to more than") == 0);
    }
    CHECK(typed(3).output_fact(0).shape.to_string() == "[2]");  // what was counted is forgotten
  }
}
