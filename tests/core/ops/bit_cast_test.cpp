#include "strata/core/ops/bit_cast.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("bit_cast") {
  TEST_CASE("bits stay as they are") {
    check_op(BitCast{DatumType::i32}, {Tensor::of<float>({2}, {1, -0.0F})},
             {Tensor::of<std::int32_t>({2}, {0x3F800000, INT32_MIN})});
    check_op(BitCast{DatumType::u8}, {Tensor::of<bool>({2}, {true, false})},
             {Tensor::of<std::uint8_t>({2}, {1, 0})});
    check_op(BitCast{DatumType::boolean}, {Tensor::of<std::uint8_t>({2}, {7, 0})},
             {Tensor::of<bool>({2}, {true, false})});
  }

  TEST_CASE("bit_cast_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(BitCast{}, {}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("bit_cast_c2: another width, or no bits") {
    CHECK_THROWS_WITH_AS(
        facts_of(BitCast{DatumType::f32}, {Fact::tensor(DatumType::i64, Shape{1})}),
        doctest::Contains("(C2)"), Error);
    CHECK_THROWS_WITH_AS(
        facts_of(BitCast{DatumType::string}, {Fact::tensor(DatumType::string, Shape{1})}),
        doctest::Contains("(C2)"), Error);
  }
}
