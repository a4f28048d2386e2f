#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Every 4099th bit pattern (prime, so all exponents and mantissas mix), and the values where
/// functions turn.
std::vector<float> all_sorts() {
  std::vector<float> v = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          0.5f,
                          1.5f,
                          -1.5f,
                          2.5f,
                          kInf,
                          -kInf,
                          kNan,
                          0x1p-126f,
                          -0x1p-126f,
                          0x1p-149f,
                          -0x1p-149f,
                          0x1.fffffep127f,
                          -0x1.fffffep127f,
                          88.7f,
                          88.72283f,
                          88.72284f,
                          89.0f,
                          128.0f,
                          -87.3f,
                          -87.4f,
                          -88.0f,
                          -103.9f,
                          -103.98f,
                          -104.0f,
                          0x1p23f,
                          -0x1p23f,
                          8388607.5f,
                          2147483648.0f,
                          -2147483648.0f,
                          0.625f,
                          2.0f,
                          3.9f,
                          3.92f,
                          4.0f,
                          0.99999994f,
                          1.0000001f,
                          9.01f,
                          9.011f};
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 4099) {
    v.push_back(from_bits(static_cast<std::uint32_t>(bits)));
  }
  for (int i = -20000; i <= 20000; ++i) v.push_back(static_cast<float>(i) * 0.000507f);
  return v;
}

/// The distance of a float from a reference, in units of the last place of the float nearest the
/// reference.
double ulps(float got, double expected) {
  const float nearest = static_cast<float>(expected);
  if (std::isnan(nearest) || std::isnan(got))
    return std::isnan(nearest) == std::isnan(got) ? 0 : 1e9;
  if (std::isinf(nearest) || std::isinf(got)) return nearest == got ? 0 : 1e9;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const double unit = std::ldexp(1.0, (nearest == 0 || exponent < -125 ? -125 : exponent) - 24);
  return std::abs(static_cast<double>(got) - expected) / unit;
}

struct Worst {
  double error = 0;
  float at = 0;
};

Worst worst_of(const KernelTable& t, const UnaryFunction& f, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  t.unary(f, x.data(), y.data(), static_cast<Index>(x.size()));
  Worst worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], apply(f, static_cast<double>(x[i])));
    if (error > worst.error) worst = {error, x[i]};
  }
  return worst;
}

struct Bound {
  std::string name;
  UnaryFunction function;
  double ulps;
};

}  // namespace

TEST_CASE("unary functions stay within their ulp bounds over all of float") {
  const Bound bounds[] = {{"identity", {Unary::identity, 0, 0}, 0},
                          {"abs", {Unary::abs, 0, 0}, 0},
                          {"neg", {Unary::neg, 0, 0}, 0},
                          {"floor", {Unary::floor, 0, 0}, 0},
                          {"ceil", {Unary::ceil, 0, 0}, 0},
                          {"sqrt", {Unary::sqrt, 0, 0}, 0.5},
                          {"relu", {Unary::relu, 0, 0}, 0},
                          {"clip", {Unary::clip, -1.5f, 6}, 0},
                          {"leaky relu", {Unary::leaky_relu, 0.5f, 0}, 0.5},
                          {"exp", {Unary::exp, 0, 0}, 2},
                          {"log", {Unary::log, 0, 0}, 2},
                          {"tanh", {Unary::tanh, 0, 0}, 5.8},
                          {"erf", {Unary::erf, 0, 0}, 4},
                          {"sigmoid", {Unary::sigmoid, 0, 0}, 3},
                          {"round", {Unary::round, 0, 0}, 0},
                          {"sign", {Unary::sign, 0, 0}, 0},
                          {"softsign", {Unary::softsign, 0, 0}, 1.5},
                          {"shrink", {Unary::shrink, 0.5f, 0.25f}, 0.5},
                          {"thresholded relu", {Unary::thresholded_relu, 1.5f, 0}, 0},
                          {"elu", {Unary::elu, 1.25f, 0}, 2},
                          {"celu", {Unary::celu, 0.75f, 0}, 3},
                          {"selu", {Unary::selu, 1.67326319f, 1.05070102f}, 3},
                          {"softplus", {Unary::softplus, 0, 0}, 3},
                          {"to f16", {Unary::to_f16, -kInf, kInf}, 0},
                          {"to bf16", {Unary::to_bf16, -kInf, kInf}, 0},
                          {"sin", {Unary::sin, 0, 0}, 2.5},
                          {"cos", {Unary::cos, 0, 0}, 2.5},
                          {"tan", {Unary::tan, 0, 0}, 3},
                          {"asin", {Unary::asin, 0, 0}, 2.5},
                          {"acos", {Unary::acos, 0, 0}, 2},
                          {"atan", {Unary::atan, 0, 0}, 2},
                          {"sinh", {Unary::sinh, 0, 0}, 2},
                          {"cosh", {Unary::cosh, 0, 0}, 2},
                          {"asinh", {Unary::asinh, 0, 0}, 3},
                          {"acosh", {Unary::acosh, 0, 0}, 3},
                          {"atanh", {Unary::atanh, 0, 0}, 3.5}};
  const std::vector<float> x = all_sorts();
  for_each_isa([&](const KernelTable& t) {
    for (const Bound& bound : bounds) {
      const Worst worst = worst_of(t, bound.function, x);
      CAPTURE(bound.name);
      CAPTURE(worst.at);
      CHECK(worst.error <= bound.ulps);
    }
  });
}

TEST_CASE("tanh and erf keep signs, come to 1 and not beyond, and are more exact below 1") {
  std::vector<float> near, far;
  for (int i = -100000; i <= 100000; ++i) near.push_back(static_cast<float>(i) * 1e-5f);
  for (int i = -10000; i <= 10000; ++i) far.push_back(static_cast<float>(i) * 1e-3f);
  for_each_isa([&](const KernelTable& t) {
    for (const Unary op : {Unary::tanh, Unary::erf}) {
      const UnaryFunction f{op, 0, 0};
      CAPTURE(static_cast<int>(op));
      const Worst worst = worst_of(t, f, near);
      CAPTURE(worst.at);
      CHECK(worst.error <= 3.7);
      std::vector<float> y(far.size());
      t.unary(f, far.data(), y.data(), static_cast<Index>(far.size()));
      for (std::size_t i = 0; i < far.size(); ++i) {
        CAPTURE(far[i]);
        REQUIRE(std::abs(y[i]) <= 1);
        REQUIRE((std::abs(far[i]) < 9.1f || std::abs(y[i]) == 1));
        REQUIRE(std::signbit(y[i]) == std::signbit(far[i]));
      }
    }
  });
}

TEST_CASE("composed functions stay close to their definitions") {
  std::vector<float> x;
  for (int i = -30000; i <= 30000; ++i) x.push_back(static_cast<float>(i) * 0.001f);
  const UnaryFunction functions[] = {{Unary::silu, 0, 0},      {Unary::swish, 1.5f, 0},
                                     {Unary::mish, 0, 0},      {Unary::gelu, 0, 0},
                                     {Unary::gelu_tanh, 0, 0}, {Unary::hard_sigmoid, 0.2f, 0.5f},
                                     {Unary::hard_swish, 0, 0}};
  for_each_isa([&](const KernelTable& t) {
    for (const UnaryFunction& f : functions) {
      std::vector<float> y(x.size());
      t.unary(f, x.data(), y.data(), static_cast<Index>(x.size()));
      std::vector<double> expected;
      for (const float v : x) expected.push_back(apply(f, static_cast<double>(v)));
      CAPTURE(static_cast<int>(f.op));
      CHECK(largest_error(y, expected) < 4e-7);
    }
  });
}

TEST_CASE("unary functions return NaN for NaN wherever it lies") {
  for_each_isa([](const KernelTable& t) {
    for (int op = 0; op <= static_cast<int>(Unary::atanh); ++op) {
      std::vector<float> x(37, 0.25f);
      if (static_cast<Unary>(op) == Unary::acosh) std::fill(x.begin(), x.end(), 1.25f);
      x[0] = x[17] = x[36] = kNan;
      x[2] = x[35] = from_bits(0xffc001ffu);  // with something in its last bits
      const bool compares = static_cast<Unary>(op) == Unary::shrink ||
                            static_cast<Unary>(op) == Unary::thresholded_relu;
      std::vector<float> y(37);
      t.unary({static_cast<Unary>(op), 0.125f, 1}, x.data(), y.data(), 37);
      CAPTURE(op);
      for (std::size_t i = 0; i < 37; ++i) {
        CHECK(std::isnan(y[i]) == (std::isnan(x[i]) && !compares));
        if (compares && std::isnan(x[i])) CHECK(y[i] == 0);
      }
    }
  });
}

TEST_CASE("rounding to narrow floats comes behind the clip") {
  for_each_isa([](const KernelTable& t) {
    const float x[] = {1 + 0x1p-11f, 1 + 0x1.8p-10f, 9, -9, 100};
    float f16[5], bf16[5];
    t.unary({Unary::to_f16, -2, 1 + 0x1p-9f + 0x1p-20f}, x, f16, 5);
    t.unary({Unary::to_bf16, -2, 1 + 0x1p-6f + 0x1p-20f}, x, bf16, 5);
    for (int i = 0; i < 5; ++i) {
      CAPTURE(i);
      CHECK(f16[i] == std::vector<float>{1, 1 + 0x1p-9f, 1 + 0x1p-9f, -2, 1 + 0x1p-9f}[size(i)]);
      CHECK(bf16[i] == std::vector<float>{1, 1, 1 + 0x1p-6f, -2, 1 + 0x1p-6f}[size(i)]);
    }
  });
}

TEST_CASE("composed functions end as their definitions do") {
  for_each_isa([](const KernelTable& t) {
    for (const Unary op : {Unary::mish, Unary::gelu_tanh, Unary::softplus}) {
      const float x[] = {kInf, 3e38f, -3e38f, -104.0f};
      float y[4];
      t.unary({op, 0, 0}, x, y, 4);
      CHECK(y[0] == kInf);
      CHECK(y[1] == 3e38f);
      CHECK(y[2] == 0);
      CHECK(std::abs(y[3]) < 1e-40f);
    }
  });
}

TEST_CASE("unary functions handle every length, in place, and write nothing past the end") {
  for_each_isa([](const KernelTable& t) {
    for (Index n = 0; n <= 67; ++n) {
      std::vector<float> x = noise(n + 1);
      const std::vector<float> before = x;
      t.unary({Unary::neg, 0, 0}, x.data(), x.data(), n);
      for (Index i = 0; i < n; ++i) CHECK(x[size(i)] == -before[size(i)]);
      CHECK(x[size(n)] == before[size(n)]);
    }
  });
}

TEST_CASE("signs of zero are kept") {
  for_each_isa([](const KernelTable& t) {
    for (const Unary op :
         {Unary::floor, Unary::ceil, Unary::round, Unary::sqrt, Unary::tanh, Unary::erf, Unary::sin,
          Unary::tan, Unary::asin, Unary::atan, Unary::sinh, Unary::asinh, Unary::atanh}) {
      const float x = -0.0f;
      float y = 1;
      t.unary({op, 0, 0}, &x, &y, 1);
      CHECK(std::signbit(y));
    }
  });
}

}  // namespace strata::kernels::testing
