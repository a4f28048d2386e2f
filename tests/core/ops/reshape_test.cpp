#include "strata/core/ops/reshape.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/shape_of.h"
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

  TEST_CASE("sizes of 0 cancel, as symbols do, before a dim of -1 is worked out") {
    const auto reshaped = [](const Shape& shape, ReshapeZero zero, std::vector<std::int64_t> to,
                             const Shape& expected) {
      const Tensor data = MutableTensor::zeros(DatumType::f32, shape).freeze();
      check_op(Reshape{zero}, {data, Tensor::vector<std::int64_t>(to)}, {data.reshaped(expected)});
    };
    reshaped({0, 6}, ReshapeZero::copy, {0, 2, -1}, {0, 2, 3});
    reshaped({4, 0, 16}, ReshapeZero::copy, {0, 0, -1}, {4, 0, 16});
    reshaped({0, 6}, ReshapeZero::copy, {2, -1}, {2, 0});
    reshaped({0, 0, 6}, ReshapeZero::keep, {0, -1, 2, 3}, {0, 0, 2, 3});
    reshaped({3, 0}, ReshapeZero::keep, {0, -1}, {0, 3});
    reshaped({3, 0}, ReshapeZero::keep, {-1, 0}, {3, 0});
  }

  TEST_CASE("a symbol that is 0 in a run copies no size but 0") {
    // x[A,B] by [B,-1] is [B,A], unless B is 0: the size that is copied is A.
    TypedModel model;
    const OutletId x =
        model.add_source("x", Fact::tensor(DatumType::f32, {{Dim::symbol("A"), Dim::symbol("B")}}));
    const auto integers = [&](std::string_view name, std::int64_t number) {
      return model.constant(name, Tensor::of<std::int64_t>({1}, {number}));
    };
    const OutletId size = model.wire_one(
        "size", Gather{0}, {model.wire_one("sizes", ShapeOf{}, {x}), integers("last", 1)});
    const OutletId target = model.wire_one("target", Concat{0}, {size, integers("rest", -1)});
    const OutletId turned = model.wire_one("turned", Reshape{}, {x, target});
    model.add_output("y", model.wire_one("negated", Unary{UnaryOp::neg}, {turned}));
    TypedModel optimised = model;
    optimise(optimised);
    for (const TypedModel& stage : {model, optimised}) {
      Session session(Plan::build(stage));
      const auto run = [&](const Shape& shape) {
        const Value given = MutableTensor::zeros(DatumType::f32, shape).freeze();
        return session.run({&given, 1})[0].tensor().shape();
      };
      for (int again = 0; again < 2; ++again) {
        CHECK(run({2, 3}) == Shape{3, 2});
        CHECK(run({0, 3}) == Shape{3, 0});
        CHECK(run({0, 0}) == Shape{0, 0});
        CHECK_THROWS_WITH_AS(run({3, 0}), doctest::Contains("f32[3,0], the model says f32[0,3]"),
                             Error);
      }
    }
  }

  TEST_CASE("a reshape of a reshape has the same shape in all stages where a symbol is 0") {
    // x[3,2,A] -> y[2*A,3] -> y by [2*A,3,-1]. Of x, 6 / 3 would be left beside the sizes of 0.
    TypedModel model;
    const OutletId x = model.add_source(
        "x", Fact::tensor(DatumType::f32, std::vector<Dim>{3, 2, Dim::symbol("A")}));
    const OutletId rest = model.constant("rest", Tensor::of<std::int64_t>({1}, {-1})),
                   rows = model.constant("rows", Tensor::of<std::int64_t>({2}, {-1, 3}));
    const OutletId y = model.wire_one("y", Reshape{ReshapeZero::keep}, {x, rows});
    const OutletId target =
        model.wire_one("target", Concat{0}, {model.wire_one("sizes", ShapeOf{}, {y}), rest});
    const OutletId z = model.wire_one("z", Reshape{ReshapeZero::keep}, {y, target});
    model.add_output("negated", model.wire_one("negated", Unary{UnaryOp::neg}, {z}));
    TypedModel decluttered = model;
    declutter(decluttered);
    TypedModel optimised = decluttered;
    optimise(optimised);
    for (const TypedModel& stage : {model, decluttered, optimised})
      for (const std::int64_t size : {0, 5}) {
        const Value given = MutableTensor::zeros(DatumType::f32, {3, 2, size}).freeze();
        CHECK(run_model(stage, {&given, 1})[0].tensor().shape() == Shape{2 * size, 3, 1});
      }
  }

  TEST_CASE("a view that has as many elements as the model says has its shape, too") {
    // x[A,B] by [C,-1], where C is the size of y, and the model says that this is [3,4].
    TypedModel model;
    const OutletId x =
        model.add_source("x", Fact::tensor(DatumType::f32, {{Dim::symbol("A"), Dim::symbol("B")}}));
    const OutletId y = model.add_source("y", Fact::tensor(DatumType::f32, {{Dim::symbol("C")}}));
    const OutletId rest = model.constant("rest", Tensor::of<std::int64_t>({1}, {-1}));
    const OutletId target =
        model.wire_one("target", Concat{0}, {model.wire_one("size", ShapeOf{}, {y}), rest});
    for (const ShapeFact& said : {ShapeFact(Shape{3, 4}), ShapeFact({Dim::symbol("C"), Dim(4)})}) {
      TypedModel plain = model;
      const OutletId reshaped = plain.wire_one("reshaped", Reshape{ReshapeZero::keep}, {x, target});
      plain.set_fact(reshaped, Fact::tensor(DatumType::f32, said));
      plain.add_output("z", plain.wire_one("negated", Unary{UnaryOp::neg}, {reshaped}));
      TypedModel optimised = plain;
      optimise(optimised);
      for (const TypedModel& stage : {plain, optimised}) {
        Session session(Plan::build(stage));
        const auto run = [&](const Shape& shape, std::int64_t size) {
          const ValueList inputs{MutableTensor::zeros(DatumType::f32, shape).freeze(),
                                 MutableTensor::zeros(DatumType::f32, {size}).freeze()};
          return session.run(inputs)[0].tensor().shape();
        };
        CHECK(run({2, 6}, 3) == Shape{3, 4});
        CHECK_THROWS_WITH_AS(run({2, 6}, 4), doctest::Contains("f32[4,3], the model says"), Error);
        CHECK_THROWS_WITH_AS(run({0, 6}, 0), doctest::Contains("f32[0,6], the model says"), Error);
        CHECK(run({6, 2}, 3) == Shape{3, 4});
      }
    }
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
    CHECK_THROWS_WITH_AS(
        facts_of(Reshape{ReshapeZero::keep}, {Fact::tensor(DatumType::f32, Shape{4, 0, 16}),
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
        doctest::Contains("overflows"), Error);
  }
}
