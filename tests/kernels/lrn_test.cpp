#include <doctest/doctest.h>

#include <algorithm>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

/// By definition, in double.
std::vector<double> expected_of(const Lrn& c) {
  std::vector<double> y;
  for (Index channel = 0; channel < c.channels; ++channel)
    for (Index pixel = 0; pixel < c.pixels; ++pixel) {
      double sum = 0;
      const Index last = std::min(c.channels - 1, channel + c.after);
      for (Index k = std::max<Index>(0, channel - c.before); k <= last; ++k) {
        const double x = static_cast<double>(c.x[k * c.pixels + pixel]);
        sum += x * x;
      }
      const double divisor =
          std::pow(static_cast<double>(c.bias) + static_cast<double>(c.alpha) * sum,
                   static_cast<double>(c.beta));
      y.push_back(static_cast<double>(c.x[channel * c.pixels + pixel]) / divisor);
    }
  return y;
}

/// The largest |got - expected| / |expected|; of subnormal numbers, / the least normal one.
double relative_error(const std::vector<float>& got, const std::vector<double>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - expected[i]);
    worst = std::max(worst, error / std::max(std::abs(expected[i]), 0x1p-126));
  }
  return worst;
}

std::vector<float> run(const KernelTable& t, Lrn c) {
  std::vector<float> y(size(c.channels * c.pixels), kNan);
  c.y = y.data();
  t.lrn(c, {0, c.pixels});
  return y;
}

}  // namespace

TEST_CASE("lrn divides by the power of the squares around each channel") {
  for_each_isa([](const KernelTable& t) {
    for (const Index pixels : {1, 3, 16, 37, 64, 129, 1100})
      for (const Index channels : {1, 2, 5, 12})
        for (const Index window : {1, 2, 3, 5, 9})
          for (const float beta : {0.75f, 0.5f, 1.0f, 2.3f}) {
            const std::vector<float> x = noise(channels * pixels);
            Lrn c{.channels = channels, .pixels = pixels};
            c.before = (window - 1) / 2, c.after = window / 2;
            c.alpha = 0.7f, c.beta = beta, c.bias = 1.5f;
            c.x = x.data();
            CAPTURE(pixels);
            CAPTURE(beta);
            CHECK(relative_error(run(t, c), expected_of(c)) < 1e-6);
          }
  });
}

TEST_CASE("lrn is exact to 1e-6 from the least numbers to the greatest whose squares are finite") {
  std::vector<float> x;
  for (int e = -60; e <= 60; ++e)
    for (const float m : {1.0f, -1.3f, 1.41f, 1.42f, 1.99f}) x.push_back(std::ldexp(m, e));
  for_each_isa([&](const KernelTable& t) {
    for (const float beta : {0.75f, 0.1f, 0.6f, 1.0f, 1.7f, 2.0f})
      for (const float bias : {0x1p-10f, 1.0f, 100.0f}) {
        Lrn c{.channels = 1, .pixels = static_cast<Index>(x.size())};
        c.alpha = 1e-4f, c.beta = beta, c.bias = bias, c.x = x.data();
        CAPTURE(beta);
        CAPTURE(bias);
        CHECK(relative_error(run(t, c), expected_of(c)) < 1e-6);
      }
  });
}

TEST_CASE("what lrn divides by ends where the channels around end") {
  for_each_isa([](const KernelTable& t) {
    for (const float beta : {0.75f, 0.8f}) {
      // Channels 0 to 6 of 17 pixels; 3e18 in channel 3 leaves no trace in channels 0, 1, 5 and 6.
      std::vector<float> x(7 * 17, 0.5f);
      for (std::size_t i = 0; i < 17; ++i) x[3 * 17 + i] = 3e18f;
      Lrn c{.channels = 7, .pixels = 17, .before = 1, .after = 1, .beta = beta, .x = x.data()};
      const auto y = run(t, c), reference = run(t, [&] {
                                  Lrn plain = c;
                                  plain.channels = 2;
                                  return plain;
                                }());
      CHECK(y[0] == reference[0]);
      CHECK(y[6 * 17 + 16] == y[0]);
      CHECK(y[5 * 17] == y[17]);
      CHECK(y[2 * 17] < 1e-10f);
    }
  });
}

TEST_CASE("lrn of infinities and NaN") {
  for_each_isa([](const KernelTable& t) {
    for (const float beta : {0.75f, 0.8f}) {
      const std::vector<float> x{1, kInf, 1, 1, 1, kNan};  // channels of one pixel
      Lrn c{.channels = 6, .pixels = 1, .before = 1, .after = 1, .beta = beta, .x = x.data()};
      const auto y = run(t, c);
      CHECK(y[0] == 0);
      CHECK(std::isnan(y[1]));
      CHECK(y[2] == 0);
      CHECK(static_cast<double>(y[3]) ==
            doctest::Approx(std::pow(4, -static_cast<double>(beta))).epsilon(1e-6));
      CHECK(std::isnan(y[4]));
      CHECK(std::isnan(y[5]));
    }
  });
}

TEST_CASE("lrn of some pixels leaves the others alone") {
  for_each_isa([](const KernelTable& t) {
    const std::vector<float> x = noise(3 * 100);
    std::vector<float> whole(300), parts(300, 7.0f);
    Lrn c{.channels = 3, .pixels = 100, .before = 1, .after = 1, .x = x.data(), .y = whole.data()};
    t.lrn(c, {0, 100});
    c.y = parts.data();
    t.lrn(c, {13, 60});
    for (std::size_t i = 0; i < 300; ++i) {
      const std::size_t pixel = i % 100;
      CHECK(parts[i] == (pixel >= 13 && pixel < 60 ? whole[i] : 7.0f));
    }
  });
}

}  // namespace strata::kernels::testing
