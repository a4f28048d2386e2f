#include "strata/core/ops/if.h"

#include <doctest/doctest.h>

#include "support/models.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// x op x, or x itself.
Body body_of(const std::shared_ptr<SymbolScope>& symbols, std::optional<BinaryOp> op,
             const Fact& fact) {
  TypedModel body(symbols);
  const OutletId x = body.add_source("x", fact);
  body.add_output("y", op ? body.wire_one("y", Binary{*op}, {x, x}) : x);
  return std::make_shared<TypedModel>(std::move(body));
}

TypedModel choice(std::optional<bool> condition) {
  TypedModel model;
  const OutletId c = condition ? model.constant("c", Tensor::scalar(*condition))
                               : model.add_source("c", Fact::tensor(DatumType::boolean, Shape{}));
  const Fact fact = float_fact(Shape{1});
  const OutletId x = model.add_source("x", fact);
  const If op{body_of(model.symbol_scope(), BinaryOp::add, fact),
              body_of(model.symbol_scope(), BinaryOp::mul, fact)};
  model.add_output("y", model.wire_one("if", op, {c, x}));
  return model;
}

}  // namespace

TEST_SUITE("if") {
  TEST_CASE("an If runs the body its condition chooses") {
    const ValueList yes{Tensor::scalar(true), floats({3})}, no{Tensor::scalar(false), floats({3})};
    check_close(run_model(choice({}), yes)[0], floats({6}));
    check_close(run_model(choice({}), no)[0], floats({9}));
  }

  TEST_CASE("an If on a constant condition is inlined") {
    TypedModel model = choice(false);
    const RewriteReport report = declutter(model);
    CHECK(report.firings.at("inline_constant_if") == 1);
    const Value x = floats({3});
    check_close(run_model(model, {&x, 1})[0], floats({9}));
  }

  TEST_CASE("ranks that differ give an open shape, dims that differ a fresh symbol") {
    const auto symbols = std::make_shared<SymbolScope>();
    const auto constant_body = [&](Shape shape) {
      TypedModel body(symbols);
      body.add_output("y",
                      body.constant("y", MutableTensor::zeros(DatumType::f32, shape).freeze()));
      return std::make_shared<TypedModel>(std::move(body));
    };
    const Fact condition = Fact::tensor(DatumType::boolean, Shape{});
    CHECK(facts_of(If{constant_body({2}), constant_body({2, 3})}, {condition})[0].shape.is_open());
    CHECK(facts_of(If{constant_body({2, 3}), constant_body({4, 3})}, {condition})[0]
              .shape.to_string() == "[u0,3]");
  }

  TEST_CASE("if_c1: the condition is a bool") {
    const If op{body_of(std::make_shared<SymbolScope>(), {}, float_fact(Shape{1})),
                body_of(std::make_shared<SymbolScope>(), {}, float_fact(Shape{1}))};
    CHECK_THROWS_WITH_AS(facts_of(op, {float_fact(Shape{}), float_fact(Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("if_c2: each body takes every captured value") {
    const auto symbols = std::make_shared<SymbolScope>();
    const If op{body_of(symbols, {}, float_fact(Shape{1})),
                body_of(symbols, {}, float_fact(Shape{1}))};
    CHECK_THROWS_WITH_AS(facts_of(op, {Fact::tensor(DatumType::boolean, Shape{})}),
                         doctest::Contains("(C2)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(If{}, {Fact::tensor(DatumType::boolean, Shape{})}),
                         doctest::Contains("(C2) If lacks a body"), Error);
    for (const Fact& other : {float_fact(Shape{2}), Fact::tensor(DatumType::i64, Shape{1})})
      CHECK_THROWS_WITH_AS(facts_of(op, {Fact::tensor(DatumType::boolean, Shape{}), other}),
                           doctest::Contains("(C2) input 0 of a body is f32[1]"), Error);
  }

  TEST_CASE("what a body is given is checked where only the run tells its size") {
    TypedModel model;
    const OutletId c = model.add_source("c", Fact::tensor(DatumType::boolean, Shape{}));
    const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{Dim::symbol("N")}));
    const Body body = body_of(model.symbol_scope(), BinaryOp::add, float_fact(Shape{4}));
    model.add_output("y", model.wire_one("if", If{body, body}, {c, x}));
    const ValueList fits{Tensor::scalar(true), floats({1, 2, 3, 4})};
    check_close(run_model(model, fits)[0], floats({2, 4, 6, 8}));
    const ValueList fewer{Tensor::scalar(true), floats({1, 2})};
    CHECK_THROWS_WITH_AS(run_model(model, fewer), doctest::Contains("f32[4]"), Error);
  }

  TEST_CASE("if_c3: equally many outputs in both bodies") {
    const auto symbols = std::make_shared<SymbolScope>();
    TypedModel silent(symbols);
    silent.add_source("x", float_fact(Shape{1}));
    const If op{body_of(symbols, {}, float_fact(Shape{1})),
                std::make_shared<TypedModel>(std::move(silent))};
    CHECK_THROWS_WITH_AS(
        facts_of(op, {Fact::tensor(DatumType::boolean, Shape{}), float_fact(Shape{1})}),
        doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("if_c4: one type an output") {
    const auto symbols = std::make_shared<SymbolScope>();
    TypedModel other(symbols);
    other.add_source("x", float_fact(Shape{1}));
    other.add_output("y", other.constant("y", integer(1)));
    const If op{body_of(symbols, {}, float_fact(Shape{1})),
                std::make_shared<TypedModel>(std::move(other))};
    CHECK_THROWS_WITH_AS(
        facts_of(op, {Fact::tensor(DatumType::boolean, Shape{}), float_fact(Shape{1})}),
        doctest::Contains("(C4)"), Error);
  }
}
