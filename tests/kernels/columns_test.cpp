#include <doctest/doctest.h>

#include <algorithm>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

constexpr Reduction kReductions[] = {
    Reduction::sum, Reduction::mean,       Reduction::max,     Reduction::min,        Reduction::l1,
    Reduction::l2,  Reduction::sum_square, Reduction::log_sum, Reduction::log_sum_exp};

double reduced(Reduction kind, const std::vector<double>& x) {
  double sum = 0, magnitudes = 0, squares = 0, exponentials = 0;
  double most = -static_cast<double>(kInf), least = static_cast<double>(kInf);
  for (const double v : x) {
    sum += v, magnitudes += std::abs(v), squares += v * v, exponentials += std::exp(v);
    most = std::isnan(v) || std::isnan(most) ? std::nan("") : std::fmax(most, v);
    least = std::isnan(v) || std::isnan(least) ? std::nan("") : std::fmin(least, v);
  }
  switch (kind) {
    case Reduction::sum:
      return sum;
    case Reduction::mean:
      return sum / static_cast<double>(x.size());
    case Reduction::max:
      return most;
    case Reduction::min:
      return least;
    case Reduction::l1:
      return magnitudes;
    case Reduction::l2:
      return std::sqrt(squares);
    case Reduction::sum_square:
      return squares;
    case Reduction::log_sum:
      return std::log(sum);
    case Reduction::log_sum_exp:
      return std::log(exponentials);
  }
  return 0;
}

std::vector<double> strided(const std::vector<float>& x, Index begin, Index step, Index n) {
  std::vector<double> out;
  for (Index i = 0; i < n; ++i) out.push_back(static_cast<double>(x[size(begin + i * step)]));
  return out;
}

struct Extent {
  Index rows, columns;
};
constexpr Extent kExtents[] = {{1, 1},   {1, 37},  {2, 16},   {3, 5},   {5, 257},
                               {17, 31}, {64, 64}, {67, 300}, {130, 7}, {1000, 33}};

std::vector<double> softmax_of(const std::vector<double>& x, SoftmaxForm form) {
  const double top = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double v : x) sum += std::exp(v - top);
  std::vector<double> y;
  for (const double v : x)
    y.push_back(form == SoftmaxForm::plain ? std::exp(v - top) / sum : v - top - std::log(sum));
  return y;
}

}  // namespace

TEST_CASE("every reduction of rows and of columns agrees with a double reference") {
  for (const auto [rows, columns] : kExtents) {
    auto x = noise(rows * columns);
    for (float& v : x) v = v * 3 + 1.5f;
    for (const Reduction kind : kReductions) {
      std::vector<double> by_row, by_column;
      for (Index r = 0; r < rows; ++r)
        by_row.push_back(reduced(kind, strided(x, r * columns, 1, columns)));
      for (Index c = 0; c < columns; ++c)
        by_column.push_back(reduced(kind, strided(x, c, columns, rows)));
      for_each_isa([&](const KernelTable& t) {
        CAPTURE(rows);
        CAPTURE(columns);
        CAPTURE(static_cast<int>(kind));
        std::vector<float> y(size(rows));
        t.reduce(kind, x.data(), y.data(), rows, columns);
        CHECK(largest_error(y, by_row) < 1e-6);
        y.assign(size(columns + 1), 42.0f);
        t.reduce_columns(kind, {x.data(), columns, 1}, y.data(), rows, columns);
        CHECK(y.back() == 42.0f);
        y.pop_back();
        CHECK(largest_error(y, by_column) < 1e-6);
      });
    }
  }
}

TEST_CASE("extremes of columns are NaN where any element is") {
  for_each_isa([](const KernelTable& t) {
    std::vector<float> x = {1, kNan, 3, 4, 5, kNan, -1, 2, 3}, y(3);
    t.reduce_columns(Reduction::max, {x.data(), 3, 1}, y.data(), 3, 3);
    CHECK(y[0] == 4);
    CHECK(std::isnan(y[1]));
    CHECK(std::isnan(y[2]));
  });
}

TEST_CASE("norms and logarithms of sums are finite although squares and powers are not") {
  for_each_isa([](const KernelTable& t) {
    const std::vector<float> x = {3e30f, 4e30f};
    float y = 0;
    t.reduce(Reduction::l2, x.data(), &y, 1, 2);
    CHECK(y == doctest::Approx(5e30));
    t.reduce_columns(Reduction::l2, {x.data(), 1, 1}, &y, 2, 1);
    CHECK(y == doctest::Approx(5e30));
    const std::vector<float> far = {1000, 1000};
    t.reduce(Reduction::log_sum_exp, far.data(), &y, 1, 2);
    CHECK(y == doctest::Approx(1000 + std::log(2.0)));
    t.reduce_columns(Reduction::log_sum_exp, {far.data(), 1, 1}, &y, 2, 1);
    CHECK(y == doctest::Approx(1000 + std::log(2.0)));
    const float none = -kInf;
    t.reduce(Reduction::log_sum_exp, &none, &y, 1, 1);
    CHECK(y == -kInf);
  });
}

TEST_CASE("both forms of softmax of rows and columns agree with a double reference, in place too") {
  for (const auto [rows, columns] : kExtents) {
    auto x = noise(rows * columns);
    for (float& v : x) v *= 30;
    for (const SoftmaxForm form : {SoftmaxForm::plain, SoftmaxForm::logarithm}) {
      std::vector<double> by_row, by_column(x.size());
      for (Index r = 0; r < rows; ++r)
        for (const double v : softmax_of(strided(x, r * columns, 1, columns), form))
          by_row.push_back(v);
      for (Index c = 0; c < columns; ++c) {
        const auto own = softmax_of(strided(x, c, columns, rows), form);
        for (Index r = 0; r < rows; ++r) by_column[size(r * columns + c)] = own[size(r)];
      }
      for_each_isa([&](const KernelTable& t) {
        CAPTURE(rows);
        CAPTURE(columns);
        std::vector<float> y = x;
        t.softmax(form, y.data(), y.data(), rows, columns);
        CHECK(largest_error(y, by_row) < 1e-6);
        y = x;
        t.softmax_columns(form, {y.data(), columns, 1}, y.data(), rows, columns);
        CHECK(largest_error(y, by_column) < 1e-6);
      });
    }
  }
}

}  // namespace strata::kernels::testing
