#include "strata/core/ops/quantize.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("quantize") {
  TEST_CASE("quantize rounds halves to even and stops at the ends of the type") {
    const Tensor x = Tensor::of<float>({5}, {1, 3, -1000, 1000, 5}), two = Tensor::scalar(2.0F);
    check_op(Quantize{}, {x, two}, {Tensor::of<std::uint8_t>({5}, {0, 2, 0, 255, 2})});
    check_op(Quantize{DatumType::i8}, {x, two, Tensor::scalar<std::int8_t>(-1)},
             {Tensor::of<std::int8_t>({5}, {-1, 1, -128, 127, 1})});
  }

  TEST_CASE("a scale for each index of the axis, and one for each block") {
    const Tensor x = Tensor::of<float>({2, 3}, {2, 4, 6, 8, 10, 12});
    const Tensor scale = Tensor::of<float>({2}, {2, 4}),
                 zero = Tensor::of<std::uint8_t>({2}, {0, 10});
    check_op(Quantize{DatumType::u8, 0}, {x, scale, zero},
             {Tensor::of<std::uint8_t>({2, 3}, {1, 2, 3, 12, 12, 13})});
    const Tensor blocks = Tensor::of<float>({2, 2}, {1, 2, 4, 0.5F});
    check_op(Quantize{DatumType::i16, 1, 2}, {x, blocks},
             {Tensor::of<std::int16_t>({2, 3}, {2, 4, 3, 2, 2, 24})});
  }

  TEST_CASE("4-bit integers and 8-bit floats") {
    const Tensor x = Tensor::of<float>({3}, {-100, 3, 100}), one = Tensor::scalar(1.0F);
    check_op(Quantize{DatumType::i4}, {x, one},
             {packed(Tensor::of<std::int8_t>({3}, {-8, 3, 7}), DatumType::i4)});
    check_op(Quantize{DatumType::f8e5m2}, {x, one},
             {cast(Tensor::of<float>({3}, {-96, 3, 96}), DatumType::f8e5m2)});
  }

  TEST_CASE("dequantize gives back what the numbers stand for") {
    const Tensor x = Tensor::of<std::uint8_t>({2, 2}, {0, 10, 5, 7});
    check_op(Dequantize{}, {x, Tensor::scalar(0.5F), Tensor::scalar<std::uint8_t>(4)},
             {Tensor::of<float>({2, 2}, {-2, 3, 0.5F, 1.5F})});
    check_op(Dequantize{DatumType::f32, 0}, {x, Tensor::of<float>({2}, {1, 2})},
             {Tensor::of<float>({2, 2}, {0, 10, 10, 14})});
    check_op(Dequantize{DatumType::f16, 1, 2}, {x, Tensor::of<float>({2, 1}, {1, 2})},
             {cast(Tensor::of<float>({2, 2}, {0, 10, 10, 14}), DatumType::f16)});
  }

  const Fact kX = Fact::tensor(DatumType::f32, Shape{2, 3}),
             kQ = Fact::tensor(DatumType::u8, Shape{2, 3}),
             kScale = Fact::tensor(DatumType::f32, Shape{});

  TEST_CASE("one number has one scale, of a length that each run tells") {
    const Tensor one = Tensor::of<float>({1}, {2});
    check_op(Quantize{DatumType::u8, 0}, {Tensor::scalar(6.0F), one},
             {Tensor::scalar<std::uint8_t>(3)});
    check_op(Dequantize{DatumType::f32, 0}, {Tensor::scalar<std::uint8_t>(3), one},
             {Tensor::scalar(6.0F)});
    CHECK_THROWS_WITH_AS(facts_of(Quantize{}, {Fact::tensor(DatumType::f32, Shape{}),
                                               Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("(C4) scales of shape [2] for one number"), Error);
  }

  TEST_CASE("quantize_c1: no scale") {
    CHECK_THROWS_WITH_AS(facts_of(Quantize{}, {kX}), doctest::Contains("(C1)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Dequantize{}, {kQ}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("quantize_c2: to strings") {
    CHECK_THROWS_WITH_AS(facts_of(Quantize{DatumType::string}, {kX, kScale}),
                         doctest::Contains("(C2)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Dequantize{DatumType::i32}, {kQ, kScale}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("quantize_c3: a zero point of another type") {
    const Fact zero = Fact::tensor(DatumType::i8, Shape{});
    CHECK_THROWS_WITH_AS(facts_of(Quantize{}, {kX, kScale, zero}), doctest::Contains("(C3)"),
                         Error);
    CHECK_THROWS_WITH_AS(facts_of(Dequantize{}, {kQ, kScale, zero}), doctest::Contains("(C3)"),
                         Error);
  }

  TEST_CASE("quantize_c4: scales that do not fit the axis, or the blocks") {
    const Fact two = Fact::tensor(DatumType::f32, Shape{2}),
               blocks = Fact::tensor(DatumType::f32, Shape{2, 3});
    CHECK_THROWS_WITH_AS(facts_of(Quantize{DatumType::u8, 1}, {kX, two}), doctest::Contains("(C4)"),
                         Error);
    CHECK_THROWS_WITH_AS(facts_of(Quantize{DatumType::u8, 1, 2}, {kX, blocks}),
                         doctest::Contains("(C4)"), Error);
  }
}
