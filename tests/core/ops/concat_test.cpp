#include "strata/core/ops/concat.h"

#include <doctest/doctest.h>

#include "strata/core/typed_model.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("concat") {
  TEST_CASE("concat joins along its axis") {
    const Tensor a = Tensor::of<float>({2, 1}, {1, 2}), b = Tensor::of<float>({2, 2}, {3, 4, 5, 6});
    check_op(Concat{1}, {a, b}, {Tensor::of<float>({2, 3}, {1, 3, 4, 2, 5, 6})});
    check_op(Concat{-1}, {a, b}, {Tensor::of<float>({2, 3}, {1, 3, 4, 2, 5, 6})});
  }

  TEST_CASE("concat adds symbolic sizes") {
    const Fact a = Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}});
    CHECK(facts_of(Concat{0}, {a, a})[0].shape.to_string() == "[2*N,3]");
  }

  TEST_CASE("more sizes than an expression can add up are a new one") {
    std::vector<Fact> parts;
    for (int i = 0; i < 300; ++i)
      parts.push_back(Fact::tensor(DatumType::f32, {{Dim::symbol(cat("N", i)), 3}}));
    TypedModel model;
    OutletIds wires;
    for (std::size_t i = 0; i < parts.size(); ++i)
      wires.push_back(model.add_source(cat("x", i), parts[i]));
    const OutletId joined = model.wire_one("joined", Concat{0}, wires);
    CHECK(model.fact(joined).shape[1] == Dim(3));
    CHECK_FALSE(model.fact(joined).shape[0].is_constant());
  }

  TEST_CASE("concat carries an open shape along") {
    const Fact open = Fact::tensor(DatumType::f32, ShapeFact::open());
    CHECK(facts_of(Concat{0}, {open, open})[0].shape.is_open());
  }

  TEST_CASE("concat_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(Concat{}, {}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("concat_c2: two element types") {
    CHECK_THROWS_WITH_AS(facts_of(Concat{0}, {Fact::tensor(DatumType::f32, Shape{1}),
                                              Fact::tensor(DatumType::i64, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("concat_c3: an axis outside the rank") {
    const Fact a = Fact::tensor(DatumType::f32, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(Concat{1}, {a, a}), doctest::Contains("axis 1 is outside rank 1"),
                         Error);
  }

  TEST_CASE("concat_c4: dims that differ off the axis") {
    CHECK_THROWS_WITH_AS(facts_of(Concat{1}, {Fact::tensor(DatumType::f32, Shape{3, 1}),
                                              Fact::tensor(DatumType::f32, Shape{2, 1})}),
                         doctest::Contains("(C4)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Concat{0}, {Fact::tensor(DatumType::f32, Shape{3, 3}),
                                              Fact::tensor(DatumType::f32, Shape{2, 2})}),
                         doctest::Contains("(C4) [3,3] does not join [2,2] on axis 0"), Error);
  }

  TEST_CASE("parts of another rank that only the run knows are refused") {
    const Tensor matrix = Tensor::of<float>({1, 2}, {1, 2}), vector = matrix.reshaped({2});
    for (const Tensor& other : {vector, Tensor::scalar(1.0F), matrix.reshaped({1, 1, 2})})
      for (const std::int64_t axis : {0, -1}) {
        CHECK_THROWS_WITH_AS(Concat{axis}.eval(TensorList{matrix, other}),
                             doctest::Contains("of another rank"), Error);
      }
  }
}
