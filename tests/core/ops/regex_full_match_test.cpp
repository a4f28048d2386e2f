#include "strata/core/ops/regex_full_match.h"

#include <doctest/doctest.h>

#include "support/libraries.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

bool has_matcher() {
  provide_libraries();
  try {
    RegexFullMatch{"a"}.eval(TensorList{Tensor::scalar(std::string("a"))});
    return true;
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unsupported);
    return false;
  }
}

struct Match {
  std::string pattern;
  std::string text;
  bool expected;
};

void check_matches(const std::vector<Match>& cases) {
  if (!has_matcher()) return;
  for (const Match& c : cases) {
    INFO("pattern ", c.pattern, ", text ", c.text);
    check_op(RegexFullMatch{c.pattern}, {Tensor::scalar(c.text)}, {Tensor::scalar(c.expected)});
  }
}

FactList facts_for(const std::string& pattern) {
  return facts_of(RegexFullMatch{pattern}, {Fact::tensor(DatumType::string, Shape{1})});
}

}  // namespace

TEST_SUITE("regex_full_match") {
  TEST_CASE("regex_full_match matches whole strings") {
    if (!has_matcher()) return;
    check_op(
        RegexFullMatch{R"(www\.[\w.-]+\.\bcom\b)"},
        {Tensor::of<std::string>({3}, {"www.google.com", "www.facebook.com", "www.bbc.co.uk"})},
        {Tensor::of<bool>({3}, {1, 1, 0})});
    check_op(RegexFullMatch{"a"}, {Tensor::of<std::string>({2, 0}, {})},
             {Tensor::of<bool>({2, 0}, {})});
    check_matches({{"ab", "ab", true},
                   {"ab", "abc", false},
                   {"ab", "cab", false},
                   {"a|ab", "ab", true},
                   {"a*?", "aaa", true}});
  }

  TEST_CASE("regex_full_match of an empty pattern takes the empty string alone") {
    check_matches({{"", "", true}, {"", " ", false}, {"a*", "", true}, {"a+", "", false}});
  }

  TEST_CASE("regex_full_match counts characters, not bytes") {
    check_matches({{".", "\u00fc", true},
                   {"..", "\u65e5\u672c", true},
                   {"[\u03b1-\u03c9]+", "\u03bb\u03cc", false},  // o with tonos lies behind omega
                   {"[\u03b1-\u03ce]+", "\u03bb\u03cc", true},
                   {R"(\x{1F600})", "\U0001F600", true}});
  }

  TEST_CASE("regex_full_match knows Unicode's classes of characters") {
    check_matches({{R"(\p{L}+)", "Gr\u00fc\u00dfe", true},
                   {R"(\p{L}+)", "abc1", false},
                   {R"(\pN+)", "1\u0662\u00bd", true},  // a digit, an Arabic one, a half
                   {R"(\p{Greek}+)", "\u03b1\u03b2", true},
                   {R"(\p{Greek}+)", "ab", false},
                   {R"(\P{Lu}+)", "\u00e9a1", true},
                   {R"(\P{Lu}+)", "\u00c9", false},
                   {R"(\w+)", "\u00fc", false}});  // \w, \d and \s are ASCII in RE2
  }

  TEST_CASE("regex_full_match takes flags") {
    check_matches({{"(?i)GR\u00d6\u00dfE", "gr\u00f6\u00dfe", true},
                   {"GR\u00d6\u00dfE", "gr\u00f6\u00dfe", false},
                   {"(?i)\u03c3", "\u03c2", true},  // both fold to sigma
                   {"(?i)\u00df", "ss", false},     // one character for one
                   {"a.b", "a\nb", false},
                   {"(?s)a.b", "a\nb", true},
                   {"a.b", std::string("a\0b", 3), true}});
  }

  TEST_CASE("regex_full_match finds no character in what is not UTF-8") {
    check_matches({{".", "\xff", false},
                   {"(?s).*", "a\xff", false},
                   {R"(a\C)", "a\xff", true},
                   {".*", "\xc3", false}});
  }

  TEST_CASE("regex_full_match does not go back and forth over long strings") {
    check_matches({{"(a*)*b", std::string(1 << 20, 'a'), false},
                   {"(a|aa)+", std::string(1 << 20, 'a'), true}});
  }

  TEST_CASE("regex_full_match_c1: numbers") {
    CHECK_THROWS_WITH_AS(facts_of(RegexFullMatch{"a"}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("regex_full_match_c2: a pattern that is none") {
    if (!has_matcher()) {
      CHECK_NOTHROW(facts_for("("));
      return;
    }
    CHECK_THROWS_WITH_AS(facts_for("("), R"((C2) "(" is no regular expression: missing ): ()",
                         Error);
    for (const char* pattern : {"*a", "[z-a]", R"(\p{Elvish})", R"((a)\1)", "(?=a)", "(?<=a)b",
                                "a{1001}", "((a{100}){100}){100}", "\xff"}) {
      INFO("pattern ", pattern);
      CHECK_THROWS_WITH_AS(facts_for(pattern), doctest::Contains("(C2)"), Error);
    }
  }

  TEST_CASE("regex_full_match_c2: a pattern that takes too much memory") {
    if (!has_matcher()) return;
    CHECK_THROWS_WITH_AS(facts_for(R"(\pL{1000})"), doctest::Contains("too large"), Error);
  }
}
