#include "strata/core/ops/cast.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("cast_op") {
  TEST_CASE("cast converts each element") {
    check_op(Cast{DatumType::i32}, {Tensor::of<float>({3}, {-1.9F, 0, 2.5F})},
             {Tensor::of<std::int32_t>({3}, {-1, 0, 2})});
    check_op(Cast{DatumType::boolean}, {Tensor::of<float>({2}, {-0.5F, 0})},
             {Tensor::of<bool>({2}, {true, false})});
    check_op(Cast{DatumType::f32}, {Tensor::of<std::string>({2}, {"1.5", "-inf"})},
             {Tensor::of<float>({2}, {1.5F, -std::numeric_limits<float>::infinity()})});
  }

  TEST_CASE("an 8-bit float saturates, or becomes NaN") {
    const Tensor x = Tensor::of<float>({1}, {1000});
    f8e4m3fn greatest, nan;
    greatest.bits = 0x7E;  // 448
    nan.bits = 0x7F;
    check_op(Cast{DatumType::f8e4m3fn}, {x}, {Tensor::of<f8e4m3fn>({1}, {greatest})});
    check_op(Cast{DatumType::f8e4m3fn, Overflow::to_infinity_or_nan}, {x},
             {Tensor::of<f8e4m3fn>({1}, {nan})});
  }

  TEST_CASE("symbolic sizes stay what they are as i64") {
    const Fact sizes = Fact::of(dims_tensor(std::vector<Dim>{Dim::symbol("N")}));
    CHECK(facts_of(Cast{DatumType::i64}, {sizes})[0].dims() == std::vector<Dim>{Dim::symbol("N")});
    CHECK_FALSE(facts_of(Cast{DatumType::f32}, {sizes})[0].value);
  }

  TEST_CASE("a cast to the same type goes away") {
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
    const OutletId same = model.wire_one("same", Cast{DatumType::f32}, {x});
    const OutletId other = model.wire_one("other", Cast{DatumType::f16}, {x});
    CHECK(Cast{DatumType::f32}.declutter({model, same.node}).has_value());
    CHECK_FALSE(Cast{DatumType::f16}.declutter({model, other.node}).has_value());
  }

  TEST_CASE("cast_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(Cast{}, {}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("cast_c2: to dim") {
    CHECK_THROWS_WITH_AS(facts_of(Cast{DatumType::dim}, {Fact::tensor(DatumType::i64, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }
}
