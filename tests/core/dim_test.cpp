#include "strata/core/dim.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "strata/core/error.h"
#include "support/failure.h"

namespace {

using strata::ceil_div;
using strata::Dim;
using strata::Error;
using strata::ErrorKind;
using strata::tests::kind_of_failure;

using Values = std::map<std::string, std::int64_t, std::less<>>;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

const Dim N = Dim::symbol("N");
const Dim M = Dim::symbol("M");
const Dim S = Dim::symbol("S");

}  // namespace

TEST_CASE("a polynomial does not remember how it was built") {
  CHECK(2 * (S + 1) - S == S + 2);
  CHECK((N + M) * (N - M) == N * N - M * M);
  CHECK(N * M * S == S * (M * N));
  CHECK(N - N == Dim(0));
  CHECK((N - N).is_constant());
  CHECK(N + 1 != N + 2);
  CHECK(N != M);
  CHECK((N + M + S).hash() == (S + M + N).hash());
}

TEST_CASE("integers behave as integers") {
  CHECK(floor_div(Dim(-7), Dim(2)) == Dim(-4));
  CHECK(floor_div(Dim(7), Dim(-2)) == Dim(-4));
  CHECK(mod(Dim(-7), Dim(2)) == Dim(1));
  CHECK(mod(Dim(7), Dim(-2)) == Dim(-1));
  CHECK(ceil_div(Dim(7), Dim(2)) == Dim(4));
  CHECK(min(Dim(3), Dim(5)) == Dim(3));
  CHECK(max(Dim(3), Dim(5)) == Dim(5));
  CHECK(Dim(5).constant() == 5);
  CHECK_FALSE(N.constant());
}

TEST_CASE("division takes out what divides exactly") {
  CHECK(floor_div(6 * S, 3) == 2 * S);
  CHECK(floor_div(6 * S + 7, 3) == 2 * S + 2);
  CHECK(floor_div(7 * S, 3) == 2 * S + floor_div(S, 3));
  CHECK(floor_div(N * M, M) == N);
  CHECK(floor_div(N * M + M, M) == N + 1);
  CHECK(floor_div(N * N - M * M, N + M) == N - M);
  CHECK(floor_div(2 * N * S, 4 * M * S) == floor_div(N, 2 * M));
  CHECK(floor_div(N, -M) == floor_div(-N, M));
}

TEST_CASE("divisions by integers merge") {
  CHECK(floor_div(2 * N, 4) == floor_div(N, 2));
  CHECK(floor_div(2 * N + 1, 4) == floor_div(N, 2));
  CHECK(floor_div(2 * N + 3, 4) == floor_div(N + 1, 2));
  CHECK(floor_div(floor_div(N, 2), 3) == floor_div(N, 6));
  CHECK(floor_div(floor_div(N + 1, 2) + 1, 2) == floor_div(N + 3, 4));
  CHECK(floor_div(floor_div(N, M), 2) == floor_div(N, 2 * M));
  CHECK(floor_div(N, 2) != floor_div(N, 3));
}

TEST_CASE("rounding up has two spellings and one form") {
  CHECK(ceil_div(N, 2) == floor_div(N + 1, 2));
  CHECK(ceil_div(N, 3) == floor_div(N + 2, 3));
  CHECK(ceil_div(N, 2) == floor_div(N - 1, 2) + 1);
  CHECK(ceil_div(N, 2) + floor_div(N, 2) == N);
  CHECK(ceil_div(ceil_div(N, 2), 3) == ceil_div(N, 6));
  CHECK(ceil_div(ceil_div(N, 2), 2) == ceil_div(N, 4));
}

TEST_CASE("modulo is what division leaves") {
  CHECK(mod(N, 3) + 3 * floor_div(N, 3) == N);
  CHECK(mod(N + 6, 3) == mod(N, 3));
  CHECK(mod(4 * N + 3, 4) == Dim(3));
  CHECK(mod(mod(N, 4), 2) == mod(N, 2));
  CHECK(floor_div(mod(N, 4), 4) == Dim(0));
  CHECK(mod(N * M, M) == Dim(0));
}

TEST_CASE("min and max are sets that know constant differences") {
  CHECK(max(N + 1, N) == N + 1);
  CHECK(min(N + 1, N) == N);
  CHECK(max(N, M) == max(M, N));
  CHECK(max(N, max(M, S)) == max(max(S, N), M));
  CHECK(max(max(N, 3), 5) == max(N, 5));
  CHECK(max(N, N) == N);
  CHECK(min(min(N, M), N) == min(M, N));
  const Dim sum = max(N, 1) + max(M, S);
  CHECK(max(sum, sum + 1) == sum + 1);
}

TEST_CASE("min and max move and scale with their operands") {
  CHECK(min(N + 1, M + 1) == min(N, M) + 1);
  CHECK(max(N + S, M + S) == max(N, M) + S);
  CHECK(max(2 * N, 2 * M) == 2 * max(N, M));
  CHECK(max(-N, -M) == -min(N, M));
  CHECK(min(-N, Dim(-4)) == -max(N, 4));
  CHECK(max(N, M) + min(N, M) == N + M);
}

TEST_CASE("text reads as one would write it") {
  struct Case {
    Dim dim;
    std::string text;
  };
  const Case cases[] = {
      {0, "0"},
      {-3, "-3"},
      {N, "N"},
      {2 * N + 1, "2*N+1"},
      {1 - N, "-N+1"},
      {N * M + N - 2, "M*N+N-2"},
      {N * N, "N*N"},
      {floor_div(N, 2), "floor_div(N,2)"},
      {ceil_div(N, 2), "floor_div(N+1,2)"},
      {mod(N, 3), "mod(N,3)"},
      {mod(N, M), "mod(N,M)"},
      {mod(N, 3) + 1, "mod(N,3)+1"},
      {max(N, 1), "max(N,1)"},
      {min(N, 5), "min(N,5)"},
      {min(min(N, M), 5), "min(M,N,5)"},
      {max(min(N, 5) - 2, 0), "max(min(N,5)-2,0)"},
      {kLeast * N + kLeast, "-9223372036854775808*N+-9223372036854775808"},
  };
  for (const Case& c : cases) {
    CHECK(c.dim.to_string() == c.text);
    CHECK(Dim::parse(c.text) == c.dim);
  }
}

TEST_CASE("parse takes the usual spellings") {
  CHECK(Dim::parse(" 12 ") == Dim(12));
  CHECK(Dim::parse("(N+1)*2") == 2 * N + 2);
  CHECK(Dim::parse("N/2") == floor_div(N, 2));
  CHECK(Dim::parse("(S+2)/3") == floor_div(S + 2, 3));
  CHECK(Dim::parse("N % 4") == mod(N, 4));
  CHECK(Dim::parse("mod(N, 4)") == mod(N, 4));
  CHECK(Dim::parse("ceil_div(N,2)") == ceil_div(N, 2));
  CHECK(Dim::parse("min(N, M, 3)") == min(N, min(M, 3)));
  CHECK(Dim::parse("-N - -2") == 2 - N);
  CHECK(Dim::parse("2*-N") == -2 * N);
  CHECK(Dim::parse("N-M-1") == N - (M + 1));
  CHECK(Dim::parse("8/2/2") == Dim(2));
  CHECK(Dim::parse("max") == Dim::symbol("max"));
  CHECK(Dim::parse("seq.len_1") == Dim::symbol("seq.len_1"));
}

TEST_CASE("any name of a symbol survives text") {
  for (const std::string name :
       {"batch size", "a-b", "9", "a\"b\\c", "line\nbreak\x01", "\xC3\xA9"}) {
    const Dim dim = 2 * Dim::symbol(name) + 1;
    CHECK(Dim::parse(dim.to_string()) == dim);
  }
  CHECK(Dim::symbol("batch size").to_string() == "\"batch size\"");
}

TEST_CASE("parse names the place of a mistake") {
  const auto message = [](std::string_view text) {
    try {
      Dim::parse(text);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::invalid_argument);
      return error.message();
    }
    return std::string();
  };
  CHECK(message("N+*2") == "dimension \"N+*2\", column 3: expected a number, a name or '('");
  CHECK(message("(N") == "dimension \"(N\", column 3: expected ')'");
  CHECK(message("N M") == "dimension \"N M\", column 3: expected an operator");
  CHECK(message("99999999999999999999") ==
        "dimension \"99999999999999999999\", column 1: expected a number of 64 bits");
  for (const std::string_view text :
       {"", "floor_div(N)", "what(N)", "\"N", "\"\"", "\"\\q\"", "N)"}) {
    CHECK(message(text) != "");
  }
  CHECK(message(std::string_view("N\0", 2)) != "");
  CHECK(message(std::string(100000, '(')) != "");
}

TEST_CASE("symbols are listed once, also from within atoms") {
  CHECK((floor_div(N + M, S) + max(N, 1)).symbols() == std::vector<std::string>{"M", "N", "S"});
  CHECK(Dim(3).symbols().empty());
  CHECK((N - N).symbols().empty());
}

TEST_CASE("any of the symbols may be asked for, also from within atoms") {
  const auto mentions = [](const Dim& dim, std::string_view symbol) {
    return dim.any_symbol([&](const std::string& name) { return name == symbol; });
  };
  CHECK(mentions(floor_div(N + M, S) + 1, "S"));
  CHECK(mentions(2 * max(N, 1), "N"));
  CHECK_FALSE(mentions(2 * max(N, 1), "M"));
  CHECK_FALSE(mentions(N - N, "N"));
}

TEST_CASE("substitution replaces all bound symbols at once") {
  CHECK((N + M).substitute({{"N", M}, {"M", N}}) == N + M);
  CHECK(floor_div(N, 2).substitute({{"N", 2 * S + 1}}) == S);
  CHECK(max(N, 4).substitute({{"N", Dim(3)}}) == Dim(4));
  CHECK((N * M).substitute({{"S", Dim(3)}}) == N * M);
  CHECK((N + M).evaluate(Values{{"N", 3}}) == std::nullopt);
  CHECK((N + M).evaluate(Values{{"N", 3}, {"M", 4}}) == 7);
}

TEST_CASE("what leaves int64 is an error of the model") {
  const auto overflows = [](auto action) {
    return kind_of_failure(action) == ErrorKind::invalid_model;
  };
  CHECK(overflows([] { return Dim(kGreatest) + 1; }));
  CHECK(overflows([] { return Dim(kLeast) - 1; }));
  CHECK(overflows([] { return Dim(std::uint64_t{1} << 63); }));
  CHECK(overflows([] { return -Dim(kLeast); }));
  CHECK(overflows([] { return Dim(kGreatest) * 2; }));
  CHECK(overflows([] { return kGreatest * N + N; }));
  CHECK(overflows([] { return floor_div(Dim(kLeast), -1); }));
  CHECK(overflows([] { return (2 * N).evaluate(Values{{"N", kGreatest}}); }));
  CHECK(Dim(kLeast) - Dim(kLeast) == Dim(0));
}

TEST_CASE("division by zero is an error of the model") {
  CHECK(kind_of_failure([] { return floor_div(N, 0); }) == ErrorKind::invalid_model);
  CHECK(kind_of_failure([] { return mod(N, 0); }) == ErrorKind::invalid_model);
  CHECK(kind_of_failure([] {
          return floor_div(N, M).evaluate(Values{{"N", 1}, {"M", 0}});
        }) == ErrorKind::invalid_model);
}

TEST_CASE("an expression cannot grow without end") {
  const auto too_large = [](auto action) { return kind_of_failure(action) == ErrorKind::limit; };
  CHECK(too_large([] {
    Dim sum;
    for (int i = 0; i < 1000; ++i) sum += Dim::symbol("s" + std::to_string(i));
  }));
  CHECK(too_large([] {
    Dim power = N + M;
    for (int i = 0; i < 10; ++i) power *= power;
  }));
  CHECK(too_large([] {
    Dim nested = N;
    for (int i = 0; i < 1000; ++i) nested = floor_div(N, nested + i + 2);
  }));
}

TEST_CASE("deep nesting is written and read in a moment") {
  Dim dim = N;
  for (int i = 2; i < 28; ++i) dim = max(floor_div(dim, N + i), M) - 2 * floor_div(M, 3);
  CHECK(Dim::parse(dim.to_string()) == dim);
}

TEST_CASE("a moved-from or copied dimension shares nothing that can change") {
  Dim a = N;
  const Dim b = a;
  a += 1;
  CHECK(b == N);
  CHECK(a == N + 1);
}
