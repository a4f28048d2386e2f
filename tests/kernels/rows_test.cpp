#include <doctest/doctest.h>

#include <bit>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

constexpr Index kLengths[] = {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 37, 64, 67, 131, 1009, 9001};

double sum_of(const float* x, Index n) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
  return sum;
}

double max_of(const float* x, Index n) {
  double best = -static_cast<double>(kInf);
  for (Index i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return static_cast<double>(kNan);
    best = std::fmax(best, static_cast<double>(x[i]));
  }
  return best;
}

/// By definition, in double.
double reduced(Reduction kind, const float* x, Index n) {
  double total = 0, least = static_cast<double>(kInf), squares = 0, sizes = 0, exponentials = 0;
  for (Index i = 0; i < n; ++i) {
    const auto v = static_cast<double>(x[i]);
    total += v, squares += v * v, sizes += std::abs(v), exponentials += std::exp(v);
    if (std::isnan(v) || v < least) least = v;
  }
  switch (kind) {
    case Reduction::max:
      return max_of(x, n);
    case Reduction::min:
      return least;
    case Reduction::mean:
      return total / static_cast<double>(n);
    case Reduction::l1:
      return sizes;
    case Reduction::l2:
      return std::sqrt(squares);
    case Reduction::sum_square:
      return squares;
    case Reduction::log_sum_exp:
      return std::log(exponentials);
    default:
      return total;
  }
}

std::vector<double> softmax_of(const float* x, Index n) {
  const double highest = max_of(x, n);
  std::vector<double> y;
  double sum = 0;
  for (Index i = 0; i < n; ++i)
    sum += y.emplace_back(std::exp(static_cast<double>(x[i]) - highest));
  for (double& v : y) v /= sum;
  return y;
}

}  // namespace

TEST_CASE("reductions of rows agree with a double reference") {
  for (const Index n : kLengths) {
    const auto x = noise(2 * n);
    for_each_isa([&](const KernelTable& t) {
      CAPTURE(n);
      std::vector<float> y(2);
      const double scale = std::sqrt(static_cast<double>(n));
      t.reduce(Reduction::sum, x.data(), y.data(), 2, n);
      CHECK(std::abs(static_cast<double>(y[1]) - sum_of(x.data() + n, n)) < 1e-6 * scale);
      t.reduce(Reduction::mean, x.data(), y.data(), 2, n);
      CHECK(std::abs(static_cast<double>(y[1]) - sum_of(x.data() + n, n) / static_cast<double>(n)) <
            1e-6);
      t.reduce(Reduction::max, x.data(), y.data(), 2, n);
      CHECK(static_cast<double>(y[0]) == max_of(x.data(), n));
      CHECK(static_cast<double>(y[1]) == max_of(x.data() + n, n));
    });
  }
}

TEST_CASE(
    "rows of a few numbers, which are turned where there are many, agree with a double reference") {
  using enum Reduction;
  for (const Index rows : {7, 8, 16, 40, 127, 128, 129, 300})
    for (Index n = 1; n <= 33; ++n) {
      std::vector<float> x = noise(rows * n);
      x[size(rows / 2 * n)] = kInf, x[size(rows / 3 * n + n / 2)] = kNan;
      for_each_isa([&](const KernelTable& t) {
        CAPTURE(rows);
        CAPTURE(n);
        for (const Reduction kind : {sum, mean, max, min, l1, l2, sum_square, log_sum_exp}) {
          std::vector<float> y(size(rows));
          t.reduce(kind, x.data(), y.data(), rows, n);
          for (Index r = 0; r < rows; ++r) {
            const auto expected = reduced(kind, x.data() + r * n, n);
            const auto found = static_cast<double>(y[size(r)]);
            const bool is_same = found == expected || (std::isnan(found) && std::isnan(expected));
            REQUIRE((is_same || std::abs(found - expected) < 2e-6 * static_cast<double>(n)));
          }
        }
      });
    }
}

TEST_CASE("max of a row is NaN if any element is, and -inf of nothing") {
  for_each_isa([](const KernelTable& t) {
    for (Index n = 1; n <= 70; ++n) {
      for (Index at : {Index{0}, n / 2, n - 1}) {
        auto x = noise(n);
        x[size(at)] = kNan;
        float y = 0;
        t.reduce(Reduction::max, x.data(), &y, 1, n);
        CHECK(std::isnan(y));
      }
    }
    float y = 0;
    t.reduce(Reduction::max, nullptr, &y, 1, 0);
    CHECK(y == -kInf);
    t.reduce(Reduction::min, nullptr, &y, 1, 0);
    CHECK(y == kInf);
    t.reduce(Reduction::sum, nullptr, &y, 1, 0);
    CHECK(y == 0);
  });
}

TEST_CASE(
    "softmax agrees with a double reference, in place too, and is not upset by large inputs") {
  for (const Index n : kLengths) {
    auto x = noise(n);
    for (float& v : x) v *= 1000.0f;
    const auto expected = softmax_of(x.data(), n);
    for_each_isa([&](const KernelTable& t) {
      CAPTURE(n);
      std::vector<float> y = x;
      t.softmax(SoftmaxForm::plain, y.data(), y.data(), 1, n);
      CHECK(largest_error(y, expected) < 1e-6);
    });
  }
}

TEST_CASE("many rows at once are what each is alone") {
  for (const Index rows : {1, 3, 4, 5, 15, 16, 17, 33})
    for (const Index n : {1, 7, 10, 16, 19, 40, 64, 100, 600}) {
      std::vector<float> x = noise(rows * n);
      for (float& v : x) v *= 9;
      for (Index r = 2; r < rows; r += 5) x[size(r * n + r % n)] = kNan;
      for (Index r = 3; r < rows; r += 5) x[size(r * n + r % n)] = r % 2 == 0 ? kInf : -kInf;
      std::vector<double> softmax, logarithms, greatest, least;
      for (Index r = 0; r < rows; ++r) {
        const float* row = x.data() + r * n;
        const auto y = softmax_of(row, n);
        softmax.insert(softmax.end(), y.begin(), y.end());
        const double top = max_of(row, n);
        double sum = 0;
        for (Index i = 0; i < n; ++i) sum += std::exp(static_cast<double>(row[i]) - top);
        for (Index i = 0; i < n; ++i)
          logarithms.push_back(static_cast<double>(row[i]) - top - std::log(sum));
        greatest.push_back(top);
        std::vector<float> negated;
        for (Index i = 0; i < n; ++i) negated.push_back(-row[i]);
        least.push_back(-max_of(negated.data(), n));
      }
      for_each_isa([&](const KernelTable& t) {
        CAPTURE(rows);
        CAPTURE(n);
        std::vector<float> y(x.size()), each(size(rows));
        t.softmax(SoftmaxForm::plain, x.data(), y.data(), rows, n);
        CHECK(largest_error(y, softmax) < 1e-6);
        t.softmax(SoftmaxForm::logarithm, x.data(), y.data(), rows, n);
        CHECK(largest_error(y, logarithms) < 1e-6);
        t.reduce(Reduction::max, x.data(), each.data(), rows, n);
        CHECK(largest_error(each, greatest) == 0);
        t.reduce(Reduction::min, x.data(), each.data(), rows, n);
        CHECK(largest_error(each, least) == 0);
      });
    }
}

TEST_CASE("norms of rows neither overflow nor vanish, however large or small the numbers") {
  for (const float scale : {1e-30f, 1e-12f, 1.0f, 1e12f, 1e30f})
    for (const Index n : {1, 37, 5000}) {
      std::vector<float> x = noise(n);
      double squares = 0;
      for (float& v : x) {
        v *= scale;
        squares += std::pow(static_cast<double>(v), 2);
      }
      for_each_isa([&](const KernelTable& t) {
        CAPTURE(scale);
        float y = 0;
        t.reduce(Reduction::l2, x.data(), &y, 1, n);
        CHECK(static_cast<double>(y) == doctest::Approx(std::sqrt(squares)).epsilon(1e-6));
      });
    }
}

TEST_CASE("softmax gives nothing to -inf and is NaN beside NaN") {
  for_each_isa([](const KernelTable& t) {
    std::vector<float> y = {0, -kInf, 0};
    t.softmax(SoftmaxForm::plain, y.data(), y.data(), 1, 3);
    CHECK(y == std::vector<float>{0.5f, 0, 0.5f});
    y = {0, kNan, 0};
    t.softmax(SoftmaxForm::plain, y.data(), y.data(), 1, 3);
    for (const float v : y) CHECK(std::isnan(v));
    y = {std::bit_cast<float>(0xffc001ffu)};  // NaN with something in its last bits
    t.softmax(SoftmaxForm::plain, y.data(), y.data(), 1, 1);
    CHECK(std::isnan(y[0]));
  });
}

TEST_CASE("layer norm agrees with a double reference, with and without scale and bias") {
  for (const Index n : kLengths) {
    const auto x = noise(3 * n, 1);
    const auto scale = noise(n, 2);
    const auto bias = noise(n, 3);
    for (int parts = 0; parts < 4; ++parts) {
      const float* used_scale = parts & 1 ? scale.data() : nullptr;
      const float* used_bias = parts & 2 ? bias.data() : nullptr;
      std::vector<double> expected;
      for (Index r = 0; r < 3; ++r) {
        const double mean = sum_of(x.data() + r * n, n) / static_cast<double>(n);
        double variance = 0;
        for (Index i = 0; i < n; ++i) {
          variance +=
              std::pow(static_cast<double>(x[size(r * n + i)]) - mean, 2) / static_cast<double>(n);
        }
        for (Index i = 0; i < n; ++i) {
          const double v =
              (static_cast<double>(x[size(r * n + i)]) - mean) / std::sqrt(variance + 1e-3);
          expected.push_back(v * (used_scale ? static_cast<double>(used_scale[i]) : 1) +
                             (used_bias ? static_cast<double>(used_bias[i]) : 0));
        }
      }
      for_each_isa([&](const KernelTable& t) {
        std::vector<float> y(size(3 * n));
        t.layer_norm({.rows = 3,
                      .columns = n,
                      .epsilon = 1e-3f,
                      .x = x.data(),
                      .scale = used_scale,
                      .bias = used_bias,
                      .y = y.data()});
        CHECK(largest_error(y, expected) < 2e-6);
      });
    }
  }
}

TEST_CASE("norms of channels scale whole rows, from any row on") {
  constexpr Index rows = 7, channels = 3;
  const auto scale = noise(channels, 6), bias = noise(channels, 7);
  for (const Index n : kLengths)
    for (const Index first : {0, 1, 5}) {
      const auto x = noise(rows * n, 8);
      std::vector<double> expected;
      for (Index r = 0; r < rows; ++r) {
        const float* row = x.data() + r * n;
        const double mean = sum_of(row, n) / static_cast<double>(n);
        double squares = 0;
        for (Index i = 0; i < n; ++i) squares += std::pow(static_cast<double>(row[i]) - mean, 2);
        const double root = std::sqrt(squares / static_cast<double>(n) + 1e-3);
        const std::size_t channel = size((first + r) % channels);
        for (Index i = 0; i < n; ++i)
          expected.push_back((static_cast<double>(row[i]) - mean) / root *
                                 static_cast<double>(scale[channel]) +
                             static_cast<double>(bias[channel]));
      }
      for_each_isa([&](const KernelTable& t) {
        CAPTURE(n);
        std::vector<float> y(x.size());
        t.layer_norm({.rows = rows,
                      .columns = n,
                      .epsilon = 1e-3f,
                      .x = x.data(),
                      .scale = scale.data(),
                      .bias = bias.data(),
                      .channels = channels,
                      .first = first,
                      .y = y.data()});
        CHECK(largest_error(y, expected) < 2e-6);
      });
    }
}

TEST_CASE("rows over the root of their mean square agree with a double reference") {
  for (const Index n : kLengths) {
    auto x = noise(5 * n, 4);
    for (float& v : x) v += 3;  // the mean stays
    const auto scale = noise(n, 5);
    std::vector<double> expected;
    for (Index r = 0; r < 5; ++r) {
      double squares = 0;
      for (Index i = 0; i < n; ++i) squares += std::pow(static_cast<double>(x[size(r * n + i)]), 2);
      const double root = std::sqrt(squares / static_cast<double>(n) + 0.5);
      for (Index i = 0; i < n; ++i)
        expected.push_back(static_cast<double>(x[size(r * n + i)]) / root *
                           static_cast<double>(scale[size(i)]));
    }
    for_each_isa([&](const KernelTable& t) {
      std::vector<float> y(size(5 * n));
      t.layer_norm({.form = NormForm::root_mean_square,
                    .rows = 5,
                    .columns = n,
                    .epsilon = 0.5f,
                    .x = x.data(),
                    .scale = scale.data(),
                    .y = y.data()});
      CHECK(largest_error(y, expected) < 1e-6);
    });
  }
}

}  // namespace strata::kernels::testing
