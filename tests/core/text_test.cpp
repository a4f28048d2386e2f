#include "strata/core/text.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using strata::cat;
using strata::counted;
using strata::in_quotes;
using strata::nearest_name;

TEST_CASE("cat joins texts, numbers, flags and lists") {
  CHECK(cat("a", std::string("b"), 'c', std::string_view("d")) == "abcd");
  CHECK(cat(1, " ", -2L, " ", std::uint8_t{200}, " ", std::int8_t{-100}) == "1 -2 200 -100");
  CHECK(cat(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(cat(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(cat(true, false) == "truefalse");
  CHECK(cat(std::vector<int>{1, 2, 3}, std::vector<float>{}) == "[1,2,3][]");
  CHECK(cat() == "");
}

TEST_CASE("one thing is counted in the singular") {
  CHECK(cat(counted(0, "node"), ", ", counted(1, "loop"), ", ", counted(2u, "if")) ==
        "0 nodes, 1 loop, 2 ifs");
}

TEST_CASE("a float is the shortest text that reads back, and always looks like a float") {
  CHECK(cat(1.0f) == "1.0");
  CHECK(cat(-0.0) == "-0.0");
  CHECK(cat(0.1f) == "0.1");
  CHECK(cat(0.1) == "0.1");
  CHECK(cat(1e30) == "1e+30");
  CHECK(cat(1.5e-7) == "1.5e-07");
  CHECK(cat(16777216.0f) == "16777216.0");
  CHECK(cat(std::numeric_limits<float>::infinity()) == "inf");
  CHECK(cat(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(cat(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(cat(-std::numeric_limits<float>::quiet_NaN()) == "nan");
}

TEST_CASE("quotes hide nothing and let nothing out") {
  CHECK(std::string(in_quotes("conv")) == "\"conv\"");
  CHECK(std::string(in_quotes("a\"b\\c")) == "\"a\\\"b\\\\c\"");
  CHECK(std::string(in_quotes("a\nb\tc\x01")) == "\"a\\nb\\tc\\x01\"");
  CHECK(std::string(in_quotes("abcdef", 3)) == "\"abc\"...");
  CHECK(std::string(in_quotes("abc", 3)) == "\"abc\"");
}

TEST_CASE("a cut never splits a character") {
  CHECK(std::string(in_quotes("a\xC3\xA9", 2)) == "\"a\"...");
  CHECK(std::string(in_quotes("a\xC3\xA9z", 3)) == "\"a\xC3\xA9\"...");
}

TEST_CASE("the nearest name is found when one is near") {
  const std::vector<std::string> names = {"Conv", "Concat", "Relu", "LeakyRelu"};
  CHECK(nearest_name("Cnov", names) == "Conv");
  CHECK(nearest_name("concat", names) == "Concat");
  CHECK(nearest_name("RELU", names) == "Relu");
  CHECK(nearest_name("Softmax", names) == "");
  CHECK(nearest_name("Foo", {"Cos"}) == "");
  CHECK(nearest_name("", names) == "");
  CHECK(nearest_name("x", {}) == "");
}
