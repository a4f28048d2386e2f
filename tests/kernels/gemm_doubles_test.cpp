#include <doctest/doctest.h>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

struct DoubleOperand {
  std::vector<double> numbers;
  Index row, column;
};

DoubleOperand operand(Index rows, Index columns, bool is_turned, unsigned seed) {
  DoubleOperand out{{}, is_turned ? 1 : columns, is_turned ? rows : 1};
  for (const float x : noise(rows * columns, seed)) out.numbers.push_back(x * (1 + 1e-9 * x));
  return out;
}

void check_product(Index m, Index k, Index n, bool turned_a, bool turned_b) {
  CAPTURE(m);
  CAPTURE(k);
  CAPTURE(n);
  CAPTURE(turned_a);
  CAPTURE(turned_b);
  const DoubleOperand a = operand(m, k, turned_a, 1), b = operand(k, n, turned_b, 2);
  const auto size = static_cast<std::size_t>(m * n);
  for_each_isa([&](const KernelTable& t) {
    std::vector<double> whole(size, -7), parts(size, -7);
    const Scratch scratch(t.gemm_doubles_scratch());
    GemmDoubles gemm{a.numbers.data(),
                     a.row,
                     a.column,
                     b.numbers.data(),
                     b.row,
                     b.column,
                     whole.data(),
                     n,
                     k,
                     m};
    t.gemm_doubles(gemm, {0, m}, {0, n}, scratch.get());
    double worst = 0;
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        long double sum = 0;
        for (Index s = 0; s < k; ++s)
          sum += static_cast<long double>(
                     a.numbers[static_cast<std::size_t>(i * a.row + s * a.column)]) *
                 b.numbers[static_cast<std::size_t>(s * b.row + j * b.column)];
        const double error = whole[static_cast<std::size_t>(i * n + j)] - static_cast<double>(sum);
        worst = std::max(worst, std::abs(error));
      }
    CHECK(worst <= 1e-16 * static_cast<double>(k + 1) * 4);
    gemm.c = parts.data();
    const Index row = m / 2, column = n / 3;
    for (const Range rows : {Range{0, row}, Range{row, m}})
      for (const Range columns : {Range{0, column}, Range{column, n}})
        t.gemm_doubles(gemm, rows, columns, scratch.get());
    CHECK(parts == whole);
  });
}

}  // namespace

TEST_CASE("products of doubles of any size, in any order of their operands, whole or in parts") {
  for (const Index m : {1, 5, 12, 13, 97})
    for (const Index n : {1, 7, 16, 17, 50})
      for (const Index k : {0, 1, 31}) check_product(m, k, n, false, false);
  for (const Index k : {255, 256, 257, 600})
    for (const bool turned_a : {false, true})
      for (const bool turned_b : {false, true}) {
        check_product(25, k, 33, turned_a, turned_b);
        check_product(1, k, 150, turned_a, turned_b);
        check_product(1, k, 1, turned_a, turned_b);
      }
}

}  // namespace strata::kernels::testing
