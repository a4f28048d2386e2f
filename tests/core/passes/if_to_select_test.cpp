#include <doctest/doctest.h>

#include "strata/core/ops/if.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

Body body_of(BinaryOp op, const Fact& operand) {
  TypedModel body;
  const OutletId a = body.add_source("a", operand), b = body.add_source("b", operand);
  body.add_output("out", body.wire_one("value", Binary{op}, {a, b}));
  return std::make_shared<TypedModel>(std::move(body));
}

/// c ? then(a, b) : otherwise(a, b)
TypedModel choice(BinaryOp then, BinaryOp otherwise, Shape condition, const Fact& operand) {
  TypedModel model;
  const OutletId c = model.add_source("c", Fact::tensor(DatumType::boolean, std::move(condition)));
  const OutletId a = model.add_source("a", operand), b = model.add_source("b", operand);
  model.add_output(
      "out",
      model.wire_one("if", If{body_of(then, operand), body_of(otherwise, operand)}, {c, a, b}));
  return model;
}

bool has_if(const TypedModel& model) {
  for (const TypedNode& node : model.nodes())
    if (!node.erased && node.op.as<If>()) return true;
  return false;
}

}  // namespace

TEST_SUITE("if to select") {
  TEST_CASE("two cheap bodies are both computed, and one is taken") {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1, 1}})
      for (const bool condition : {true, false}) {
        TypedModel model = choice(BinaryOp::add, BinaryOp::mul, shape, float_fact(Shape{2}));
        CHECK(declutter(model).firings.at("if_to_select") == 1);
        CHECK_FALSE(has_if(model));
        const ValueList out = run_model(
            model, ValueList{Tensor::of<bool>(shape, {condition}), floats({2, 3}), floats({5, 7})});
        check_close(out[0], condition ? floats({7, 10}) : floats({10, 21}));
      }
  }

  TEST_CASE("a body that may fail is run only where it is asked for") {
    const Fact integers = Fact::tensor(DatumType::i64, Shape{1});
    TypedModel model = choice(BinaryOp::add, BinaryOp::div, Shape{}, integers);
    declutter(model);
    CHECK(has_if(model));
    const ValueList out =
        run_model(model, ValueList{Tensor::scalar(true), Tensor::of<std::int64_t>({1}, {4}),
                                   Tensor::of<std::int64_t>({1}, {0})});
    check_close(out[0], Tensor::of<std::int64_t>({1}, {4}));
  }

  TEST_CASE("large and unknown sizes stay") {
    for (const Fact& operand :
         {float_fact(Shape{1 << 20}), float_fact(std::vector<Dim>{Dim::symbol("N")})}) {
      TypedModel model = choice(BinaryOp::add, BinaryOp::mul, Shape{}, operand);
      declutter(model);
      CHECK(has_if(model));
    }
  }
}
