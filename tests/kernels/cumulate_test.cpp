#include <doctest/doctest.h>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

std::vector<double> running(const Cumulate& c, const std::vector<float>& x) {
  std::vector<double> y(x.size());
  for (Index o = 0; o < c.outer; ++o)
    for (Index i = 0; i < c.inner; ++i) {
      double total = c.kind == RunKind::sum ? 0 : 1;
      for (Index n = 0; n < c.length; ++n) {
        const Index k = c.direction == RunDirection::forward ? n : c.length - 1 - n;
        const auto at = size((o * c.length + k) * c.inner + i);
        const double before = total, v = static_cast<double>(x[at]);
        total = c.kind == RunKind::sum ? total + v : total * v;
        y[at] = c.bounds == RunBounds::inclusive ? total : before;
      }
    }
  return y;
}

void check_run(Cumulate c, const std::vector<float>& x) {
  const auto expected = running(c, x);
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(x.size() + 1, 42.0f);
    c.x = x.data();
    c.y = y.data();
    t.cumulate(c);
    CAPTURE(c.length);
    CAPTURE(c.inner);
    CHECK(y.back() == 42.0f);
    y.pop_back();
    CHECK(largest_error(y, expected) < 1e-7);
  });
}

}  // namespace

TEST_CASE("running sums and products in both directions, with and without the element itself") {
  for (const RunKind kind : {RunKind::sum, RunKind::product})
    for (const RunDirection direction : {RunDirection::forward, RunDirection::backward})
      for (const RunBounds bounds : {RunBounds::inclusive, RunBounds::exclusive})
        for (const Index length : {1, 2, 3, 7, 8, 9, 31, 100})
          for (const Index inner : {1, 2, 16, 17, 260}) {
            auto x = noise(2 * length * inner, static_cast<std::uint32_t>(length));
            for (float& v : x) v = v * 0.5f + 1.0f;
            check_run({.kind = kind,
                       .direction = direction,
                       .bounds = bounds,
                       .outer = 2,
                       .length = length,
                       .inner = inner},
                      x);
          }
}

TEST_CASE("NaN and infinities stay out of totals before them") {
  std::vector<float> x(40, 1.0f);
  x[11] = kInf;
  x[25] = -kInf;
  x[33] = kNan;
  check_run({.length = 40}, x);
  check_run({.direction = RunDirection::backward, .length = 40}, x);
  check_run({.kind = RunKind::product, .bounds = RunBounds::exclusive, .length = 40}, x);
}

TEST_CASE("running sums are rounded once from a total in double") {
  // In float 2^24 + 1 + 1 would stay 2^24.
  const std::vector<float> x = {0x1p24f, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(x.size());
    t.cumulate({.length = 10, .x = x.data(), .y = y.data()});
    CHECK(y[9] == 16777224.0f);
    t.cumulate({.length = 5, .inner = 2, .x = x.data(), .y = y.data()});
    CHECK(y[8] == 16777220.0f);
  });
}

}  // namespace strata::kernels::testing
