#include <doctest/doctest.h>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

/// A function of bytes that has no two values alike in the same place of its parts of 16.
std::uint8_t function(std::size_t x) {
  return static_cast<std::uint8_t>(x * x * 7 + x * 3 + x / 5);
}

}  // namespace

TEST_SUITE("look up") {
  TEST_CASE("every byte in every lane becomes its place of the table, over itself too") {
    std::uint8_t table[256];
    for (std::size_t i = 0; i < 256; ++i) table[i] = function(i);
    for_each_isa([&](const KernelTable& t) {
      for (const Index n : {0, 1, 15, 31, 32, 33, 63, 64, 65, 200, 256 * 67}) {
        CAPTURE(n);
        std::vector<std::uint8_t> x, expected;
        for (std::size_t i = 0; i < size(n); ++i) {
          x.push_back(static_cast<std::uint8_t>(i * 67 + i / 256));
          expected.push_back(function(x.back()));
        }
        expected.push_back(0xab);
        std::vector<std::uint8_t> y(size(n) + 1, 0xab);
        t.look_up(table, x.data(), y.data(), n);
        CHECK(y == expected);
        x.push_back(0xab);
        t.look_up(table, x.data(), x.data(), n);
        CHECK(x == expected);
      }
    });
  }
}

}  // namespace strata::kernels::testing
