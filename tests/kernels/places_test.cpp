#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

/// Few different numbers, so that there are ties, and now and then NaN, infinities or -0.
std::vector<float> rough(Index n, std::uint32_t seed) {
  std::vector<float> v = noise(n, seed);
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = std::floor(v[i] * 8);
    if (i % 97 == 50) v[i] = kNan;
    if (i % 61 == 30) v[i] = -0.0f;
    if (i % 71 == 20) v[i] = kInf;
    if (i % 73 == 40) v[i] = -kInf;
  }
  return v;
}

/// Whether a is the more extreme; NaN is the most.
bool beats(Extreme extreme, float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return extreme == Extreme::max ? a > b : a < b;
}

std::int64_t place_of(const ArgReduce& c, const float* x) {
  std::int64_t best = 0;
  for (Index k = 1; k < c.length; ++k) {
    const bool wins = c.tie == Tie::first ? beats(c.extreme, x[k * c.inner], x[best * c.inner])
                                          : !beats(c.extreme, x[best * c.inner], x[k * c.inner]);
    if (wins) best = k;
  }
  return best;
}

void check_arg_reduce(ArgReduce c, Index outer, const std::vector<float>& x) {
  std::vector<std::int64_t> expected;
  for (Index o = 0; o < outer; ++o)
    for (Index i = 0; i < c.inner; ++i)
      expected.push_back(place_of(c, x.data() + o * c.length * c.inner + i));
  for_each_isa([&](const KernelTable& t) {
    std::vector<std::int64_t> y(expected.size(), -1);
    c.x = x.data();
    c.y = y.data();
    const Index rows = outer * c.inner;
    t.arg_reduce(c, {0, rows / 2});
    t.arg_reduce(c, {rows / 2, rows});
    CAPTURE(c.length);
    CAPTURE(c.inner);
    CHECK(y == expected);
  });
}

/// In the order of the greatest or least: NaN counts as the greatest number.
std::vector<std::int64_t> best_places(const TopK& c, const float* x) {
  const auto less = [](float a, float b) { return a < b || (!std::isnan(a) && std::isnan(b)); };
  std::vector<std::int64_t> places(size(c.length));
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    const float u = x[a * c.inner], v = x[b * c.inner];
    return c.extreme == Extreme::max ? less(v, u) : less(u, v);
  });
  places.resize(size(c.k));
  return places;
}

void check_top_k(TopK c, Index outer, const std::vector<float>& x) {
  for_each_isa([&](const KernelTable& t) {
    const Index rows = outer * c.inner;
    std::vector<float> values(size(rows * c.k));
    std::vector<std::int64_t> places(size(rows * c.k));
    const Scratch scratch(t.top_k_scratch(c.length));
    c.x = x.data();
    c.values = values.data();
    c.places = places.data();
    t.top_k(c, {0, rows / 2}, scratch.get());
    t.top_k(c, {rows / 2, rows}, scratch.get());
    CAPTURE(c.length);
    CAPTURE(c.k);
    for (Index r = 0; r < rows; ++r) {
      const float* row = x.data() + r / c.inner * c.length * c.inner + r % c.inner;
      const auto expected = best_places(c, row);
      for (Index i = 0; i < c.k; ++i) {
        const auto at = size((r / c.inner * c.k + i) * c.inner + r % c.inner);
        REQUIRE(places[at] == expected[size(i)]);
        const float value = row[expected[size(i)] * c.inner];
        CHECK((values[at] == value || (std::isnan(value) && std::isnan(values[at]))));
      }
    }
  });
}

}  // namespace

TEST_CASE("places of extremes along rows and columns, with ties and NaN") {
  for (const Extreme extreme : {Extreme::max, Extreme::min})
    for (const Tie tie : {Tie::first, Tie::last})
      for (const Index length : {1, 2, 15, 16, 17, 45, 128, 2048, 2049, 5000})
        for (const Index inner : {1, 3, 16, 37, 140})
          if (length * inner < 300000)
            check_arg_reduce({.extreme = extreme, .tie = tie, .length = length, .inner = inner}, 2,
                             rough(2 * length * inner, static_cast<std::uint32_t>(length)));
}

TEST_CASE("places of extremes of many rows of a few numbers, which are turned") {
  for (const Extreme extreme : {Extreme::max, Extreme::min})
    for (const Tie tie : {Tie::first, Tie::last})
      for (const Index rows : {8, 30, 255, 256, 300})
        for (Index length = 1; length <= 49; ++length)
          check_arg_reduce({.extreme = extreme, .tie = tie, .length = length, .inner = 1}, rows,
                           rough(rows * length, static_cast<std::uint32_t>(length)));
}

TEST_CASE("places of extremes that are all alike, or all NaN or infinite") {
  for (const float value : {0.0f, kNan, kInf, -kInf})
    for (const Tie tie : {Tie::first, Tie::last})
      for (const Index inner : {1, 5}) {
        const std::vector<float> x(size(4100 * inner), value);
        check_arg_reduce({.tie = tie, .length = 4100, .inner = inner}, 1, x);
        check_arg_reduce({.extreme = Extreme::min, .tie = tie, .length = 4100, .inner = inner}, 1,
                         x);
      }
}

TEST_CASE("the best of rows and columns come in order, with their places") {
  for (const Extreme extreme : {Extreme::max, Extreme::min})
    for (const Index length : {1, 2, 7, 16, 100, 127, 128, 129, 256, 257, 1500, 4096, 4097})
      for (const Index inner : {1, 3})
        for (const Index k : {Index{0}, Index{1}, length / 2, length})
          if (k * length < 4'000'000)
            check_top_k({.extreme = extreme, .length = length, .inner = inner, .k = k}, 2,
                        rough(2 * length * inner, static_cast<std::uint32_t>(length + k)));
}

}  // namespace strata::kernels::testing
