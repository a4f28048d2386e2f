#include <doctest/doctest.h>

#include <bit>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

double apply(Binary op, double a, double b) {
  switch (op) {
    case Binary::add:
      return a + b;
    case Binary::sub:
      return a - b;
    case Binary::mul:
      return a * b;
    case Binary::div:
      return a / b;
    case Binary::min:
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
    case Binary::max:
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
    case Binary::pow:
      return std::pow(a, b);
    case Binary::fmod:
      return std::fmod(a, b);
    case Binary::prelu:
      return a < 0 ? a * b : a;
  }
  return 0;
}

/// How an operand is spread over [outer, inner].
enum class Spread { same, scalar, per_row, per_column };

Index outer_stride(Spread s, Index inner) {
  return s == Spread::same ? inner : s == Spread::per_row ? 1 : 0;
}

Index inner_stride(Spread s) { return s == Spread::same || s == Spread::per_column ? 1 : 0; }

void check_call(BinaryCall call) {
  std::vector<double> expected;
  for (Index o = 0; o < call.outer; ++o) {
    for (Index i = 0; i < call.inner; ++i) {
      expected.push_back(apply(call.op,
                               static_cast<double>(call.a[o * call.a_outer + i * call.a_inner]),
                               static_cast<double>(call.b[o * call.b_outer + i * call.b_inner])));
    }
  }
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(expected.size() + 1, 42.0f);
    call.y = y.data();
    t.binary(call);
    CHECK(y.back() == 42.0f);
    y.pop_back();
    CHECK(largest_error(y, expected) < (call.op == Binary::pow ? 2e-7 : 1e-7));
  });
}

}  // namespace

TEST_CASE("binary functions agree with their definitions for every kind of broadcast") {
  constexpr Spread spreads[] = {Spread::same, Spread::scalar, Spread::per_row, Spread::per_column};
  for (const Index inner : {0, 1, 2, 3, 7, 15, 16, 17, 31, 37}) {
    const Index outer = 3;
    const auto a = noise(outer * inner + 4, 1);
    const auto b = noise(outer * inner + 4, 2);
    for (const Spread sa : spreads) {
      for (const Spread sb : spreads) {
        for (int op = 0; op <= static_cast<int>(Binary::prelu); ++op) {
          BinaryCall call;
          call.op = static_cast<Binary>(op);
          call.outer = outer;
          call.inner = inner;
          call.a = a.data();
          call.a_outer = outer_stride(sa, inner);
          call.a_inner = inner_stride(sa);
          call.b = b.data();
          call.b_outer = outer_stride(sb, inner);
          call.b_inner = inner_stride(sb);
          check_call(call);
        }
      }
    }
  }
}

TEST_CASE("a product and a sum in one pass round twice, for every kind of broadcast") {
  constexpr Spread spreads[] = {Spread::same, Spread::scalar, Spread::per_row, Spread::per_column};
  for (const Index inner : {0, 1, 3, 15, 16, 17, 37})
    for (const Spread sb : spreads)
      for (const Spread sc : spreads) {
        const Index outer = 3;
        const auto a = noise(outer * inner, 1), b = noise(outer * inner + 4, 2),
                   c = noise(outer * inner + 4, 3);
        MultiplyAdd call{.outer = outer,
                         .inner = inner,
                         .a = a.data(),
                         .a_outer = inner,
                         .b = b.data(),
                         .b_outer = outer_stride(sb, inner),
                         .b_inner = inner_stride(sb),
                         .c = c.data(),
                         .c_outer = outer_stride(sc, inner),
                         .c_inner = inner_stride(sc)};
        std::vector<float> expected;
        for (Index o = 0; o < outer; ++o)
          for (Index i = 0; i < inner; ++i) {
            const double product = static_cast<double>(a[size(o * inner + i)]) *
                                   static_cast<double>(call.b[o * call.b_outer + i * call.b_inner]);
            const float rounded = static_cast<float>(product);
            expected.push_back(rounded + call.c[o * call.c_outer + i * call.c_inner]);
          }
        expected.push_back(42.0f);
        for_each_isa([&](const KernelTable& t) {
          std::vector<float> y(expected.size(), 42.0f);
          call.y = y.data();
          t.multiply_add(call);
          CHECK(y == expected);
        });
      }
}

TEST_CASE("min and max return NaN if either argument is NaN") {
  const std::vector<float> a = {kNan, 1, kNan, kInf, -kInf, 2};
  const std::vector<float> b = {1, kNan, kNan, 3, 3, 2};
  for (const Binary op : {Binary::min, Binary::max}) {
    BinaryCall call;
    call.op = op;
    call.inner = 6;
    call.a = a.data();
    call.b = b.data();
    check_call(call);
  }
}

TEST_CASE("division by zero follows IEEE 754") {
  const std::vector<float> a = {1, -1, 0};
  const std::vector<float> zero = {0, 0, 0};
  BinaryCall call;
  call.op = Binary::div;
  call.inner = 3;
  call.a = a.data();
  call.b = zero.data();
  check_call(call);
}

namespace {

/// Numbers at which powers and remainders turn, then noise of every exponent.
std::vector<float> turning_points() {
  std::vector<float> v = {0,
                          -0.0f,
                          1,
                          -1,
                          0.5f,
                          -0.5f,
                          2,
                          -2,
                          3,
                          -3,
                          1.5f,
                          -1.5f,
                          kInf,
                          -kInf,
                          kNan,
                          0x1p-126f,
                          -0x1p-126f,
                          0x1p-149f,
                          -0x1p-149f,
                          0x1.fffffep127f,
                          16777216.0f,
                          -16777215.0f,
                          8388607.5f,
                          0.99999994f,
                          -0.99999994f,
                          1.0000001f,
                          127,
                          128,
                          -149,
                          -150,
                          0.1f,
                          1e10f,
                          -1e-10f,
                          33.25f};
  std::uint32_t seed = 7;
  for (int i = 0; i < 600; ++i) {
    seed = seed * 1664525u + 1013904223u;
    v.push_back(std::bit_cast<float>(seed));
    seed = seed * 1664525u + 1013904223u;
    v.push_back(static_cast<float>(seed >> 8) * 0x1p-20f - 8.0f);
  }
  return v;
}

/// The error in units of the last place; one unit where only the sign of a zero differs.
double error_of(float got, double expected) {
  const float nearest = static_cast<float>(expected);
  if (std::isnan(nearest) || std::isnan(got))
    return std::isnan(nearest) == std::isnan(got) ? 0 : 1e9;
  if (std::isinf(nearest) || std::isinf(got)) return nearest == got ? 0 : 1e9;
  if (std::signbit(got) != std::signbit(nearest)) return 1e9;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const double unit = std::ldexp(1.0, (nearest == 0 || exponent < -125 ? -125 : exponent) - 24);
  return std::abs(static_cast<double>(got) - expected) / unit;
}

double worst_error(Binary op) {
  const auto points = turning_points();
  double worst = 0;
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(points.size());
    for (const float b : points) {
      BinaryCall call;
      call.op = op;
      call.inner = static_cast<Index>(points.size());
      call.a = points.data();
      call.b = &b;
      call.b_inner = 0;
      call.y = y.data();
      t.binary(call);
      for (std::size_t i = 0; i < y.size(); ++i)
        worst = std::fmax(worst, error_of(y[i], apply(op, static_cast<double>(points[i]),
                                                      static_cast<double>(b))));
    }
  });
  return worst;
}

}  // namespace

TEST_CASE("powers are within 1.5 ulp of C's pow, whatever the signs and the exponents") {
  CHECK(worst_error(Binary::pow) <= 1.5);
}

TEST_CASE("remainders are exact, however large the quotient") {
  CHECK(worst_error(Binary::fmod) == 0);
}

}  // namespace strata::kernels::testing
