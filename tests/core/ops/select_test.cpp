#include "strata/core/ops/select.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("select") {
  TEST_CASE("select takes from either side, all three broadcast") {
    const Tensor condition = Tensor::of<bool>({2, 1}, {true, false});
    const Tensor a = Tensor::of<float>({3}, {1, 2, 3}), b = Tensor::scalar(9.0F);
    check_op(Select{}, {condition, a, b}, {Tensor::of<float>({2, 3}, {1, 2, 3, 9, 9, 9})});
    check_op(Select{},
             {condition, Tensor::scalar<std::string>("a"), Tensor::scalar<std::string>("b")},
             {Tensor::of<std::string>({2, 1}, {"a", "b"})});
  }

  TEST_CASE("select takes packed elements") {
    const auto nibbles = [](std::initializer_list<std::int8_t> values) {
      return packed(Tensor::of<std::int8_t>({3}, values), DatumType::i4);
    };
    check_op(
        Select{},
        {Tensor::of<bool>({3}, {true, false, true}), nibbles({1, 2, 3}), nibbles({-4, -5, -6})},
        {nibbles({1, -5, 3})});
  }

  TEST_CASE("select takes symbolic sizes") {
    const Fact a = Fact::of(dims_tensor(std::vector<Dim>{Dim::symbol("N"), 2}));
    const Fact b = Fact::of(Tensor::of<std::int64_t>({2}, {7, 8}));
    const Fact condition = Fact::of(Tensor::of<bool>({2}, {true, false}));
    CHECK(facts_of(Select{}, {condition, a, b})[0].dims() == std::vector<Dim>{Dim::symbol("N"), 8});
  }

  TEST_CASE("a constant condition chooses") {
    TypedModel model;
    const Fact fact = Fact::tensor(DatumType::f32, Shape{2});
    const OutletId a = model.add_source("a", fact), b = model.add_source("b", fact);
    const OutletId condition = model.constant("c", Tensor::of<bool>({2}, {false, false}));
    const OutletId y = model.wire_one("y", Select{}, {condition, a, b});
    model.add_output("y", y);
    const NodeView node{model, y.node};
    Rewrite rewrite = node.op().declutter(node);
    REQUIRE(rewrite.has_value());
    rewrite->apply(model);
    CHECK((model.outputs()[0].outlet == b));
  }

  TEST_CASE("select_c1: two inputs") {
    const Fact x = Fact::tensor(DatumType::boolean, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(Select{}, {x, x}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("select_c2: a condition of numbers") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(Select{}, {x, x, x}), doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("select_c3: two element types") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1}),
               b = Fact::tensor(DatumType::boolean, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(Select{}, {b, x, b}), doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("select_c4: shapes that do not broadcast") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{2}),
               b = Fact::tensor(DatumType::boolean, Shape{3});
    CHECK_THROWS_WITH_AS(facts_of(Select{}, {b, x, x}),
                         doctest::Contains("shapes [3] and [2] do not broadcast"), Error);
  }
}
