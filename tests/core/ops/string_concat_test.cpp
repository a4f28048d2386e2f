#include "strata/core/ops/string_concat.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("string_concat") {
  TEST_CASE("string_concat broadcasts") {
    check_op(StringConcat{},
             {Tensor::of<std::string>({2}, {"a", "b"}), Tensor::of<std::string>({1}, {"x"})},
             {Tensor::of<std::string>({2}, {"ax", "bx"})});
  }

  TEST_CASE("string_concat_c1: numbers") {
    CHECK_THROWS_WITH_AS(facts_of(StringConcat{}, {Fact::tensor(DatumType::f32, Shape{1}),
                                                   Fact::tensor(DatumType::string, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("string_concat_c2: shapes that do not broadcast") {
    CHECK_THROWS_WITH_AS(facts_of(StringConcat{}, {Fact::tensor(DatumType::string, Shape{2}),
                                                   Fact::tensor(DatumType::string, Shape{3})}),
                         doctest::Contains("(C2)"), Error);
  }
}
