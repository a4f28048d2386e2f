#include "strata/core/ops/reshape.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "strata/core/ops/unary.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("reshape") {
  TEST_CASE("reshape works out -1 and copies 0") {
    check_op(
        Reshape{},
        {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<std::int64_t>({2}, {3, -1})},
        {Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})});
    check_op(
        Reshape{},
        {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<std::int64_t>({3}, {0, -1, 1})},
        {Tensor::of<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6})});
    check_op(Reshape{}, {Tensor::of<float>({1}, {7}), Tensor::vector<std::int64_t>({})},
             {Tensor::scalar(7.0f)});
  }

  TEST_CASE("reshape keeps a 0 when told to") {
    const Tensor empty = Tensor::of<float>({0, 3}, {});
    check_op(Reshape{ReshapeZero::keep}, {empty, Tensor::of<std::int64_t>({2}, {3, 0})},
             {Tensor::of<float>({3, 0}, {})});
  }

  TEST_CASE("a shape that the data tell is made, whatever the model says") {
    const auto input = [](TypedModel& model, std::string_view name, DatumType type,
                          std::vector<Dim> dims) {
      return model.add_source(name, Fact::tensor(type, std::move(dims)));
    };
    for (const auto& [rows, columns] :
         {std::pair{Dim(3), Dim(4)}, {Dim::symbol("N"), Dim::symbol("M")}}) {
      TypedModel model;
      const OutletId x = input(model, "x", DatumType::f32, {rows, columns}),
                     target = input(model, "target", DatumType::i64, {2});
      const OutletId reshaped = model.wire_one("reshaped", Reshape{}, {x, target});
      model.set_fact(reshaped, model.fact(x));
      model.add_output("y", model.wire_one("negated", Unary{UnaryOp::neg}, {reshaped}));
      TypedModel decluttered = model;
      declutter(decluttered);
      TypedModel optimised = decluttered;
      optimise(optimised);
      for (const TypedModel& stage : {model, decluttered, optimised}) {
        const auto run = [&](std::vector<std::int64_t> to) {
          const ValueList inputs{MutableTensor::zeros(DatumType::f32, {3, 4}).freeze(),
                                 Tensor::vector<std::int64_t>(to)};
          return run_model(stage, inputs)[0].tensor().shape();
        };
        CHECK(run({3, -1}) == Shape{3, 4});
        CHECK_THROWS_WITH_AS(run({4, 3}), doctest::Contains("f32[4,3], the model says f32[3,4]"),
                             Error);
      }
    }
  }

  TEST_CASE("reshape divides symbolic sizes") {
    CHECK(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 6}}),
                               Fact::of(Tensor::of<std::int64_t>({2}, {-1, 3}))})[0]
              .shape.to_string() == "[2*N,3]");
    CHECK(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
                               Fact::of(Tensor::of<std::int64_t>({3}, {0, 3, 1}))})[0]
              .shape.to_string() == "[N,3,1]");
  }

  TEST_CASE("a reshape of a reshape is one where the inner one is sure to fit") {
    const auto count = [](const std::vector<Dim>& dims, const Shape& target) {
      TypedModel model;
      const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, dims));
      const OutletId inner = model.wire_one(
          "inner", Reshape{},
          {x, model.constant("s",
                             Tensor::vector<std::int64_t>(std::span<const std::int64_t>(target)))});
      model.add_output(
          "y", model.wire_one("outer", Reshape{},
                              {inner, model.constant("t", Tensor::of<std::int64_t>({1}, {-1}))}));
      declutter(model);
      return std::ranges::count_if(
          model.nodes(), [](const TypedNode& node) { return node.op.as<Reshape>() != nullptr; });
    };
    const Dim n = Dim::symbol("N");
    CHECK(count({4, 3}, {2, 6}) == 1);
    CHECK(count({n, 6}, {-1, 2}) == 1);
    CHECK(count({n, 3}, {2, -1}) == 2);  // N may be odd
  }

  TEST_CASE("reshape by an unknown target knows the rank") {
    CHECK(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
                               Fact::tensor(DatumType::i64, Shape{4})})[0]
              .shape.rank() == 4);
    CHECK(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, ShapeFact::open()),
                               Fact::any(ValueType::tensor(DatumType::i64))})[0]
              .shape.is_open());
  }

  TEST_CASE("reshape_c1: a target of floats") {
    CHECK_THROWS_WITH_AS(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                              Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("reshape_c2: two dims to work out") {
    CHECK_THROWS_WITH_AS(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, Shape{2, 3}),
                                              Fact::of(Tensor::of<std::int64_t>({2}, {-1, -1}))}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("reshape_c3: a copied dim that is not there") {
    CHECK_THROWS_WITH_AS(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                              Fact::of(Tensor::of<std::int64_t>({2}, {2, 0}))}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("reshape_c4: another number of elements") {
    CHECK_THROWS_WITH_AS(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, Shape{2, 3}),
                                              Fact::of(Tensor::of<std::int64_t>({2}, {4, 2}))}),
                         doctest::Contains("(C4)"), Error);
  }

  TEST_CASE("reshape_c4: a target of no elements, which do not tell its dim of -1") {
    CHECK_THROWS_WITH_AS(facts_of(Reshape{}, {Fact::tensor(DatumType::f32, Shape{4, 0, 16}),
                                              Fact::of(Tensor::of<std::int64_t>({3}, {0, 0, -1}))}),
                         doctest::Contains("(C4)"), Error);
  }

  TEST_CASE("reshape_c4 in a run: another number of elements") {
    CHECK_THROWS_WITH_AS(
        TypedOp(Reshape{}).eval(ValueList{Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
                                          Tensor::of<std::int64_t>({2}, {4, -1})}),
        doctest::Contains("(C4)"), Error);
    CHECK_THROWS_WITH_AS(
        TypedOp(Reshape{}).eval(ValueList{
            Tensor::of<float>({2}, {1, 2}),
            Tensor::of<std::int64_t>({3}, {std::int64_t{1} << 62, std::int64_t{1} << 62, -1})}),
        doctest::Contains("(C4)"), Error);
  }
}
