#include <doctest/doctest.h>

#include <limits>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

/// Each pair of the numbers by each comparison, in rows of each length, of which the byte behind
/// stays as it is.
template <class T>
void check_comparisons(WideComparisons KernelTable::*comparisons, const std::vector<T>& numbers) {
  std::vector<T> a, b;
  for (const T x : numbers)
    for (const T y : numbers) a.push_back(x), b.push_back(y);
  using Holds = bool (*)(T, T);
  struct Case {
    CompareRow WideComparisons::*row;
    Holds holds;
  };
  const Case cases[] = {
      {&WideComparisons::equal, [](T x, T y) { return x == y; }},
      {&WideComparisons::less, [](T x, T y) { return x < y; }},
      {&WideComparisons::less_or_equal, [](T x, T y) { return x <= y; }},
  };
  for_each_isa([&](const KernelTable& t) {
    for (const auto& [row, holds] : cases)
      for (std::size_t n = 0; n <= a.size(); ++n) {
        std::vector<std::byte> y(n + 1, std::byte{42});
        (t.*comparisons.*row)(reinterpret_cast<const std::byte*>(a.data()),
                              reinterpret_cast<const std::byte*>(b.data()), y.data(),
                              static_cast<Index>(n));
        bool agrees = y[n] == std::byte{42};
        for (std::size_t i = 0; i < n; ++i)
          agrees = agrees && y[i] == static_cast<std::byte>(holds(a[i], b[i]));
        CHECK_MESSAGE(agrees, n);
      }
  });
}

}  // namespace

TEST_CASE("integers of 64 bits compare by all of their bits") {
  using Ends = std::numeric_limits<std::int64_t>;
  const std::int64_t high = std::int64_t{1} << 32;
  check_comparisons<std::int64_t>(&KernelTable::compare_i64,
                                  {0, 1, -1, high, high + 1, -high, Ends::min(), Ends::max()});
}

TEST_CASE("doubles compare as numbers: zeros are equal, NaN is nothing") {
  using Ends = std::numeric_limits<double>;
  check_comparisons<double>(&KernelTable::compare_f64,
                            {0.0, -0.0, 1.0, -1.0, Ends::denorm_min(), Ends::infinity(),
                             -Ends::infinity(), Ends::quiet_NaN()});
}

}  // namespace strata::kernels::testing
