#include "strata/core/ops/non_zero.h"

#include <doctest/doctest.h>

#include <cmath>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("non_zero") {
  TEST_CASE("non_zero lists indices") {
    check_op(NonZero{}, {Tensor::of<float>({2, 2}, {1, 0, 1, 1})},
             {Tensor::of<std::int64_t>({2, 3}, {0, 1, 1, 0, 0, 1})});
    check_op(NonZero{}, {Tensor::scalar<float>(2)}, {Tensor::of<std::int64_t>({0, 1}, {})});
  }

  TEST_CASE("non_zero of each type, by its kernel as well") {
    const auto indices_of = [](const Tensor& data) {
      TypedModel model;
      const OutletId x = model.add_source("x", Fact::tensor(data.dtype(), data.shape()));
      model.add_output("y", model.wire_one("y", NonZero{}, {x}));
      const Tensor expected = run_model(model, ValueList{Value(data)})[0].tensor();
      optimise(model);
      CHECK(run_model(model, ValueList{Value(data)})[0].tensor() == expected);
      return Shape(expected.as<std::int64_t>().begin(), expected.as<std::int64_t>().end());
    };
    const Tensor floats = Tensor::of<float>({5}, {-0.0f, 1e-40f, NAN, 0, -INFINITY});
    CHECK(indices_of(floats) == Shape{1, 2, 4});
    CHECK(indices_of(cast(floats, DatumType::f64)) == Shape{1, 2, 4});
    CHECK(indices_of(cast(floats, DatumType::bf16)) == Shape{1, 2, 4});
    CHECK(indices_of(cast(floats, DatumType::f16)) == Shape{2, 4});
    for (const DatumType type : {DatumType::i8, DatumType::u8, DatumType::u16, DatumType::i32,
                                 DatumType::i64, DatumType::i4, DatumType::boolean})
      CHECK(indices_of(cast(Tensor::of<float>({4}, {0, 1, 0, 5}), type)) == Shape{1, 3});
    CHECK(indices_of(Tensor::of<std::string>({3}, {"", "0", ""})) == Shape{1});
  }

  TEST_CASE("non_zero_c1: a sequence") {
    CHECK_THROWS_WITH_AS(
        facts_of(NonZero{}, {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2))}),
        doctest::Contains("(C1)"), Error);
  }
}
