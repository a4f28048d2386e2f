#include <doctest/doctest.h>

#include "support/if_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

If either(UnaryOp then, UnaryOp otherwise) { return {unary_body(then), unary_body(otherwise)}; }

std::size_t fired(TypedModel& model) { return firings_of(declutter(model), "merge_sibling_ifs"); }

}  // namespace

TEST_SUITE("merge sibling ifs") {
  TEST_CASE("two Ifs on one condition, or on its negation, become one") {
    for (const bool is_negated : {false, true}) {
      TypedModel model;
      const OutletId c = model.add_source("c", kFlag), x = model.add_source("x", kUnknownSize);
      const OutletId second =
          is_negated ? model.wire_one("not", Unary{UnaryOp::truth_not}, {c}) : c;
      model.add_output("a", model.wire_one("if", either(UnaryOp::neg, UnaryOp::abs), {c, x}));
      model.add_output("b",
                       model.wire_one("or", either(UnaryOp::ceil, UnaryOp::floor), {second, x}));
      CHECK(fired(model) == 1);
      CHECK(ifs_of(model).size() == 1);
      const ValueList yes = run_model(model, ValueList{Tensor::scalar(true), floats({-1.5F})}),
                      no = run_model(model, ValueList{Tensor::scalar(false), floats({-1.5F})});
      check_close(yes[0], floats({1.5F}));
      check_close(no[0], floats({1.5F}));
      check_close(yes[1], floats({is_negated ? -2.0F : -1.0F}));
      check_close(no[1], floats({is_negated ? -1.0F : -2.0F}));
    }
  }

  TEST_CASE("an If that reads another directly joins it") {
    TypedModel model;
    const OutletId c = model.add_source("c", kFlag), x = model.add_source("x", kUnknownSize);
    const OutletId a = model.wire_one("if", either(UnaryOp::neg, UnaryOp::abs), {c, x});
    model.add_output("b", model.wire_one("or", either(UnaryOp::ceil, UnaryOp::floor), {c, a}));
    CHECK(fired(model) == 1);
    CHECK(ifs_of(model).size() == 1);
    check_close(run_model(model, ValueList{Tensor::scalar(true), floats({1.5F})})[0], floats({-1}));
    check_close(run_model(model, ValueList{Tensor::scalar(false), floats({1.5F})})[0], floats({1}));
  }

  TEST_CASE("three Ifs become one") {
    TypedModel model;
    const OutletId c = model.add_source("c", kFlag), x = model.add_source("x", kUnknownSize);
    for (const std::string name : {"p", "q", "r"})
      model.add_output(name, model.wire_one(name + ".if",
                                            either(name == "p" ? UnaryOp::sin : UnaryOp::cos,
                                                   name == "q" ? UnaryOp::neg : UnaryOp::abs),
                                            {c, x}));
    CHECK(fired(model) == 2);
    CHECK(ifs_of(model).size() == 1);
  }

  TEST_CASE("Ifs whose bodies name different sizes by one symbol stay") {
    const auto negated = [] {
      TypedModel body;
      const OutletId a = body.add_source("a", float_fact(std::vector<Dim>{Dim::symbol("u0")}));
      body.add_output("out", body.wire_one("value", Unary{UnaryOp::neg}, {a}));
      return std::make_shared<TypedModel>(std::move(body));
    };
    TypedModel model;
    const OutletId c = model.add_source("c", kFlag), x = model.add_source("x", kUnknownSize),
                   z = model.add_source("z", float_fact(std::vector<Dim>{Dim::symbol("M")}));
    model.add_output("a", model.wire_one("if", If{negated(), unary_body(UnaryOp::abs)}, {c, x}));
    model.add_output("b", model.wire_one("or", If{negated(), unary_body(UnaryOp::abs)}, {c, z}));
    CHECK(fired(model) == 0);
    const ValueList y =
        run_model(model, ValueList{Tensor::scalar(true), floats({1}), floats({2, 3})});
    check_close(y[0], floats({-1}));
    check_close(y[1], floats({-2, -3}));
  }

  TEST_CASE("Ifs with something between them, or on other conditions, stay") {
    for (const bool is_same_condition : {true, false}) {
      TypedModel model;
      const OutletId c = model.add_source("c", kFlag), d = model.add_source("d", kFlag),
                     x = model.add_source("x", kUnknownSize);
      OutletId a = model.wire_one("if", either(UnaryOp::neg, UnaryOp::abs), {c, x});
      if (is_same_condition) a = model.wire_one("between", Unary{UnaryOp::sin}, {a});
      model.add_output("b", model.wire_one("or", either(UnaryOp::ceil, UnaryOp::floor),
                                           {is_same_condition ? c : d, a}));
      CHECK(fired(model) == 0);
      CHECK(ifs_of(model).size() == 2);
    }
  }
}
