#include "strata/core/machine_peak.h"

#include <doctest/doctest.h>

using namespace strata;

TEST_SUITE("machine peak") {
  TEST_CASE("the slower of operations and memory bounds an op") {
    const MachinePeak peak{100, {{10, 50}, {1000, 20}}};
    CHECK(peak.least_seconds(200, 5) == doctest::Approx(2));
    CHECK(peak.least_seconds(10, 10) == doctest::Approx(0.2));
    CHECK(peak.least_seconds(10, 100) == doctest::Approx(5));
    CHECK(peak.least_seconds(0, 4000) == doctest::Approx(200));
  }

  TEST_CASE("a machine does something, and is never faster at larger blocks") {
    for (const std::size_t threads : {1, 2}) {
      const MachinePeak peak = measure_peak(threads);
      CHECK(peak.flops_per_second > 0);
      REQUIRE(peak.memory.size() > 1);
      for (std::size_t i = 1; i < peak.memory.size(); ++i) {
        CHECK(peak.memory[i].bytes > peak.memory[i - 1].bytes);
        CHECK(peak.memory[i].bytes_per_second <= peak.memory[i - 1].bytes_per_second);
      }
      CHECK(peak.memory.back().bytes_per_second > 0);
    }
  }
}
