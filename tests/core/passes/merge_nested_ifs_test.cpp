#include <doctest/doctest.h>

#include "support/if_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// again ? neg(op(x)) : exp(op(x)), as a body of (again, x); the negation of `again` where asked.
Body nested(UnaryOp op, const std::string& condition) {
  TypedModel body;
  OutletId again = body.add_source("again", kFlag);
  const OutletId x = body.add_source("x", kUnknownSize);
  const OutletId value = body.wire_one("value", Unary{op}, {x});
  if (condition == "negated") again = body.wire_one("opposite", Unary{UnaryOp::truth_not}, {again});
  body.add_output("out",
                  body.wire_one("inner", If{unary_body(UnaryOp::neg), unary_body(UnaryOp::exp)},
                                {again, value}));
  return std::make_shared<TypedModel>(std::move(body));
}

/// Both bodies nest an If on the wire `inner` makes of the outer condition.
TypedModel model_of(const std::string& condition, bool is_outer_negated) {
  TypedModel model;
  const OutletId c = model.add_source("c", kFlag), d = model.add_source("d", kFlag),
                 x = model.add_source("x", kUnknownSize);
  const OutletId outer =
      is_outer_negated ? model.wire_one("not", Unary{UnaryOp::truth_not}, {c}) : c;
  const std::string inner = condition == "negated" ? "negated" : "same";
  model.add_output(
      "out", model.wire_one("if", If{nested(UnaryOp::sin, inner), nested(UnaryOp::cos, inner)},
                            {outer, condition == "other" ? d : c, x}));
  return model;
}

}  // namespace

TEST_SUITE("merge nested ifs") {
  TEST_CASE("an If within on the same condition is decided") {
    for (const std::string condition : {"same", "negated"})
      for (const bool is_outer_negated : {false, true}) {
        CAPTURE(condition);
        CAPTURE(is_outer_negated);
        const TypedModel before = model_of(condition, is_outer_negated);
        TypedModel after = before;
        CHECK(firings_of(declutter(after), "merge_nested_ifs") == 1);
        REQUIRE(if_of(after) != nullptr);
        CHECK(if_of(*if_of(after)->then_body) == nullptr);
        CHECK(if_of(*if_of(after)->else_body) == nullptr);
        for (const bool c : {true, false}) {
          const ValueList inputs{Tensor::scalar(c), Tensor::scalar(true), floats({0.5F, 2})};
          check_close(run_model(after, inputs)[0], run_model(before, inputs)[0]);
        }
      }
  }

  TEST_CASE("an If within on another condition stays") {
    TypedModel model = model_of("other", false);
    CHECK(firings_of(declutter(model), "merge_nested_ifs") == 0);
    CHECK(if_of(*if_of(model)->then_body) != nullptr);
  }

  TEST_CASE("a condition known outside decides an If within") {
    TypedModel model;
    const OutletId c = model.add_source("c", kFlag), x = model.add_source("x", kUnknownSize);
    const OutletId yes = model.constant("yes", Tensor::scalar(true));
    model.add_output(
        "out", model.wire_one("if", If{nested(UnaryOp::sin, "same"), nested(UnaryOp::cos, "same")},
                              {c, yes, x}));
    CHECK(firings_of(declutter(model), "merge_nested_ifs") == 1);
    check_close(run_model(model, ValueList{Tensor::scalar(true), floats({0.5F})})[0],
                floats({-0.479425538F}));  // -sin(0.5)
  }

  TEST_CASE("the condition as a value of a body becomes a constant there") {
    const auto gives = [](UnaryOp op) {
      TypedModel body;
      const OutletId again = body.add_source("again", kFlag);
      body.add_output("out",
                      op == UnaryOp::truth_not ? body.wire_one("not", Unary{op}, {again}) : again);
      return std::make_shared<TypedModel>(std::move(body));
    };
    TypedModel model;
    const OutletId c = model.add_source("c", kFlag);
    model.add_output(
        "out", model.wire_one("if", If{gives(UnaryOp::truth_not), gives(UnaryOp::neg)}, {c, c}));
    declutter(model);
    for (const bool value : {true, false})  // true gives not true, false gives itself
      CHECK(
          (run_model(model, ValueList{Tensor::scalar(value)})[0] == Value(Tensor::scalar(false))));
  }
}
