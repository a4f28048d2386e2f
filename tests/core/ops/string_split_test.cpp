#include "strata/core/ops/string_split.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("string_split") {
  TEST_CASE("string_split cuts at a delimiter") {
    check_op((StringSplit{",", std::nullopt}), {Tensor::of<std::string>({2}, {"a,b", "c,,d"})},
             {Tensor::of<std::string>({2, 3}, {"a", "b", "", "c", "", "d"}),
              Tensor::of<std::int64_t>({2}, {2, 3})});
    check_op((StringSplit{",", 1}), {Tensor::of<std::string>({1}, {"a,b,c"})},
             {Tensor::of<std::string>({1, 2}, {"a", "b,c"}), Tensor::of<std::int64_t>({1}, {2})});
  }

  TEST_CASE("string_split cuts at white space") {
    check_op(StringSplit{}, {Tensor::of<std::string>({2}, {"  a  b ", ""})},
             {Tensor::of<std::string>({2, 2}, {"a", "b", "", ""}),
              Tensor::of<std::int64_t>({2}, {2, 0})});
    check_op((StringSplit{"", 1}), {Tensor::of<std::string>({1}, {"a b c"})},
             {Tensor::of<std::string>({1, 2}, {"a", "b c"}), Tensor::of<std::int64_t>({1}, {2})});
  }

  TEST_CASE("string_split_c1: numbers") {
    CHECK_THROWS_WITH_AS(facts_of(StringSplit{}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }
}
