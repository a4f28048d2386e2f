#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "strata/core/dim.h"

namespace {

using strata::ceil_div;
using strata::Dim;
using strata::DimRange;
using strata::SymbolScope;

constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

const Dim N = Dim::symbol("N");
const Dim M = Dim::symbol("M");

}  // namespace

TEST_CASE("fresh symbols are new, also among reserved names") {
  SymbolScope scope;
  scope.reserve("u1");
  scope.assert_at_least("u2", 1);
  scope.reserve_symbols(max(floor_div(Dim::symbol("u4"), 2), N));
  CHECK(scope.fresh() == Dim::symbol("u0"));
  CHECK(scope.fresh() == Dim::symbol("u3"));
  CHECK(scope.fresh() == Dim::symbol("u5"));
}

TEST_CASE("bounds follow from what is asserted of symbols") {
  SymbolScope scope;
  scope.assert_at_least("M", 1);
  scope.assert_at_least("M", 0);  // says less than is known
  struct Case {
    Dim dim;
    std::optional<std::int64_t> least;
    std::optional<std::int64_t> greatest;
  };
  const std::nullopt_t none = std::nullopt;
  const Case cases[] = {
      {7, 7, 7},
      {N, 0, none},
      {M, 1, none},
      {2 * M + N + 3, 5, none},
      {3 - N, none, 3},
      {N - M, none, none},
      {N * M, 0, none},
      {N * M - N, 0, none},
      {M * M - M, 0, none},
      {floor_div(N, 2), 0, none},
      {floor_div(N - 1, 2), -1, none},
      {floor_div(-N, M), none, 0},
      {floor_div(Dim(-1), M), -1, -1},
      {mod(N, 4), 0, 3},
      {mod(N + 1, 4) + 2, 2, 5},
      {N - floor_div(N, 2), 0, none},
      {ceil_div(M, 2), 1, none},
      {max(N, 3), 3, none},
      {min(N, 3), 0, 3},
      {max(N, M) - N, 0, none},
      {min(N, M) - M, none, 0},
      {N - min(N, 5), 0, none},
      {max(min(N, 5) - 2, 0), 0, 3},
  };
  for (const Case& c : cases) {
    INFO(c.dim.to_string());
    CHECK(scope.range(c.dim).least == c.least);
    CHECK(scope.range(c.dim).greatest == c.greatest);
  }
}

TEST_CASE("a symbol may be asserted to go below zero") {
  SymbolScope scope;
  scope.assert_at_least("K", -2);
  CHECK(scope.range(Dim::symbol("K")).least == -2);
  CHECK(scope.range(2 * Dim::symbol("K") + 1).least == -3);
}

TEST_CASE("proofs hold only where bounds say so") {
  SymbolScope scope;
  CHECK(scope.provably_at_least(N + 1, 1));
  CHECK_FALSE(scope.provably_at_least(N, 1));
  CHECK_FALSE(scope.provably_at_least(N - M, 0));
}

TEST_CASE("a proof takes apart what its terms do not tell") {
  const SymbolScope scope;
  const Dim frames = floor_div(N, 64);
  struct Case {
    Dim dim;
    std::int64_t least;
  };
  const Case cases[] = {
      {max(frames, 1) - max(frames, 4) + 3, 0},  // by cases of both
      {N - 64 * frames, 0},                      // by the remainder
      {64 * frames - N, -63},
      {min(frames, 4) - min(frames, 1), 0},
      {N - max(2 * frames, 5), -5},
  };
  for (const Case& c : cases) {
    INFO(c.dim.to_string());
    CHECK(scope.provably_at_least(c.dim, c.least));
    CHECK_FALSE(scope.provably_at_least(c.dim, c.least + 1));
  }
}

TEST_CASE("what leaves int64 is not bounded, and nothing is thrown") {
  SymbolScope scope;
  scope.assert_at_least("N", kGreatest);
  CHECK_FALSE(scope.provably_at_least(-2 * N, 0));
  CHECK_FALSE(scope.range(N * N + N).greatest);
}

TEST_CASE("every value of an expression lies within its bounds") {
  std::mt19937 random(7);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  SymbolScope scope;
  scope.assert_at_least("M", 1);
  for (int i = 0; i < 3000; ++i) {
    std::vector<Dim> pool = {N, M, between(-5, 5)};
    const auto any = [&] { return pool[random() % pool.size()]; };
    for (int step = 0; step < 4; ++step) {
      const Dim a = any();
      const Dim b = any();
      const Dim made[] = {a + b,
                          a - between(1, 4) * b,
                          floor_div(a, between(1, 5)),
                          max(a, b),
                          floor_div(a, M + between(0, 2)),
                          min(a, b),
                          a * b,
                          mod(a, between(1, 5))};
      pool.push_back(made[random() % std::size(made)]);
    }
    const DimRange range = scope.range(pool.back());
    if (range.least) {
      INFO(pool.back().to_string());
      REQUIRE(scope.provably_at_least(pool.back(), *range.least));
      REQUIRE_FALSE(scope.provably_at_least(pool.back(), *range.least + 1));
    }
    for (int trial = 0; trial < 10; ++trial) {
      const auto value = pool.back().evaluate({{"N", between(0, 20)}, {"M", between(1, 20)}});
      INFO(pool.back().to_string());
      if (range.least) REQUIRE(*value >= *range.least);
      if (range.greatest) REQUIRE(*value <= *range.greatest);
    }
  }
}
