#include "strata/core/ops/shape_of.h"

#include <doctest/doctest.h>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/slice.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("shape_of") {
  TEST_CASE("shape_of gives the sizes of the axes") {
    check_op(ShapeOf{}, {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<std::int64_t>({2}, {2, 3})});
    check_op(ShapeOf{-1}, {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<std::int64_t>({1}, {3})});
    check_op((ShapeOf{0, -1}), {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<std::int64_t>({1}, {2})});
    check_op((ShapeOf{1, 0}), {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::vector<std::int64_t>({})});
  }

  TEST_CASE("shape_of knows symbolic sizes before the run") {
    const auto dims =
        facts_of(ShapeOf{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}})})[0].dims();
    REQUIRE(dims);
    CHECK((*dims)[0] == Dim::symbol("N"));
    CHECK((*dims)[1] == Dim(3));
  }

  TEST_CASE("sizes are known through i32, as exporters from TensorFlow compute with them") {
    TypedModel model;
    const Dim n = Dim::symbol("N");
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, {{n, 3}}));
    const auto integers = [&](const char* name, DatumType type, std::int64_t value) {
      return model.constant(name, cast(Tensor::of<std::int64_t>({1}, {value}), type));
    };
    const OutletId narrow =
        model.wire_one("narrow", Cast{DatumType::i32}, {model.wire_one("shape", ShapeOf{}, {x})});
    CHECK(model.fact(narrow).to_string() == "i32[2] = N, 3");
    const OutletId rows = model.wire_one(
        "rows", Slice{},
        {narrow, integers("zero", DatumType::i64, 0), integers("one", DatumType::i64, 1)});
    const OutletId twice =
        model.wire_one("twice", Binary{BinaryOp::mul}, {rows, integers("two", DatumType::i32, 2)});
    const OutletId joined =
        model.wire_one("joined", Concat{0}, {twice, integers("width", DatumType::i32, 4)});
    const OutletId target = model.wire_one("target", Cast{DatumType::i64}, {joined});
    const OutletId y =
        model.wire_one("y", Expand{}, {model.constant("fill", Tensor::scalar(1.5F)), target});
    CHECK(model.fact(y).to_string() == "f32[2*N,4]");
    model.add_output("y", y);
    declutter(model);
    CHECK(model.output_fact(0).to_string() == "f32[2*N,4]");
    const Value data = Tensor::of<float>({1, 3}, {1, 2, 3});
    CHECK(run_model(model, {&data, 1})[0].tensor().shape() == Shape{2, 4});
  }

  TEST_CASE("sizes that are constants of a file stay symbolic where they are narrowed") {
    TypedModel model;
    const Dim n = Dim::symbol("N");
    model.add_source("x", Fact::tensor(DatumType::f32, {{n}}));
    const OutletId sizes = model.constant("sizes", Tensor::of<Dim>({1}, {n}));
    model.add_output("y", model.wire_one("y", Cast{DatumType::i32}, {sizes}));
    declutter(model);
    CHECK(model.output_fact(0).to_string() == "i32[1] = N");
  }

  TEST_CASE("shape_of_c1: a sequence has no shape") {
    CHECK_THROWS_WITH_AS(
        facts_of(ShapeOf{}, {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2))}),
        doctest::Contains("(C1)"), Error);
  }
}
