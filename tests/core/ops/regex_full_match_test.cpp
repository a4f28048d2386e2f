#include "strata/core/ops/regex_full_match.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("regex_full_match") {
  TEST_CASE("regex_full_match matches whole strings") {
    check_op(
        RegexFullMatch{R"(www\.[\w.-]+\.\bcom\b)"},
        {Tensor::of<std::string>({3}, {"www.google.com", "www.facebook.com", "www.bbc.co.uk"})},
        {Tensor::of<bool>({3}, {1, 1, 0})});
  }

  TEST_CASE("regex_full_match_c1: numbers") {
    CHECK_THROWS_WITH_AS(facts_of(RegexFullMatch{"a"}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("regex_full_match_c2: a pattern that is none") {
    CHECK_THROWS_WITH_AS(facts_of(RegexFullMatch{"("}, {Fact::tensor(DatumType::string, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("regex_full_match_c3: a text without end") {
    CHECK_THROWS_WITH_AS(
        TypedOp(RegexFullMatch{"a"}).eval(ValueList{Tensor::scalar(std::string(1 << 17, 'a'))}),
        doctest::Contains("(C3)"), Error);
  }
}
