#include "ops/ordering.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace strata;

namespace {

/// Of a vector in ascending order, whose elements all differ.
template <class T>
void check_ascending(const std::vector<T>& values) {
  const auto keys = order_keys(Tensor::vector<T>(values));
  for (std::size_t i = 1; i < keys.size(); ++i) {
    CAPTURE(i);
    CHECK(keys[i - 1] < keys[i]);
  }
}

}  // namespace

TEST_SUITE("order of numbers") {
  TEST_CASE("NaN has the greatest key of all floats, and both zeros have the same") {
    using Limits = std::numeric_limits<double>;
    const double inf = Limits::infinity(), nan = Limits::quiet_NaN();
    check_ascending<double>({-inf, -Limits::max(), -1, -Limits::denorm_min(), 0,
                             Limits::denorm_min(), 1, Limits::max(), inf, nan});
    check_ascending<f16>({f16(-2.0F), f16(-1.0F), f16(0.0F), f16(0.5F), f16(NAN)});
    const auto keys = order_keys(Tensor::vector<double>(std::vector{-0.0, 0.0, nan, -nan}));
    CHECK(keys[0] == keys[1]);
    CHECK(keys[2] == keys[3]);
  }

  TEST_CASE("keys of integers up to their limits") {
    check_ascending<std::int64_t>({INT64_MIN, -1, 0, 1, INT64_MAX});
    check_ascending<std::int8_t>({-128, -1, 0, 127});
    check_ascending<std::uint8_t>({0, 127, 255});
    check_ascending<std::uint64_t>({0, 1, std::uint64_t{1} << 63, UINT64_MAX});
  }

  TEST_CASE("strings have no keys") {
    CHECK_THROWS_WITH_AS(order_keys(Tensor::vector<std::string>(std::vector<std::string>{"a"})),
                         doctest::Contains("string have no order"), Error);
  }
}
