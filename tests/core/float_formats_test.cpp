#include "strata/core/float_formats.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

namespace strata {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr Overflow kOpen = Overflow::to_infinity_or_nan;

template <class T, class Bits>
T of_bits(Bits bits) {
  T number;
  number.bits = static_cast<decltype(number.bits)>(bits);
  return number;
}

/// Patterns below `count` that decode to a number but do not come back from it.
template <class T>
int patterns_lost(unsigned count) {
  int lost = 0;
  for (unsigned bits = 0; bits < count; ++bits) {
    const float value = of_bits<T>(bits);
    const T back(value);
    lost += std::isnan(value) ? !std::isnan(static_cast<float>(back)) : back.bits != bits;
  }
  return lost;
}

struct Row {
  float value;
  unsigned bits;
};

}  // namespace

TEST_CASE("every pattern of every format comes back from the float it stands for") {
  CHECK(patterns_lost<f16>(65536) == 0);
  CHECK(patterns_lost<bf16>(65536) == 0);
  CHECK(patterns_lost<f8e4m3fn>(256) == 0);
  CHECK(patterns_lost<f8e4m3fnuz>(256) == 0);
  CHECK(patterns_lost<f8e5m2fnuz>(256) == 0);
  CHECK(patterns_lost<f8e8m0>(256) == 0);
  CHECK(patterns_lost<f4e2m1>(16) == 0);
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = of_bits<f8e5m2>(bits);
    if (!std::isnan(value)) CHECK(f8e5m2(value, kOpen).bits == bits);
  }
}

TEST_CASE("f16 rounds to nearest even and overflows to infinity") {
  const Row rows[] = {{1.0F, 0x3c00},
                      {-2.0F, 0xc000},
                      {65504.0F, 0x7bff},
                      {65519.0F, 0x7bff},
                      {65520.0F, 0x7c00},
                      {0x1p-24F, 0x0001},
                      {0x1p-25F, 0x0000},
                      {0x1.8p-25F, 0x0001},
                      {1.0F + 0x1p-11F, 0x3c00},
                      {1.0F + 0x3p-11F, 0x3c02},
                      {-0.0F, 0x8000},
                      {-kInfinity, 0xfc00}};
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CHECK(f16(row.value).bits == row.bits);
  }
  CHECK(std::isnan(static_cast<float>(f16(kNan))));
}

TEST_CASE("a double becomes f16 in one rounding") {
  CHECK(f16(1.0 + 0x1p-11 + 0x1p-40).bits == 0x3c01);
  CHECK(f16(1.0 + 0x1p-11).bits == 0x3c00);
  CHECK(bf16(1.0 + 0x1p-8 + 0x1p-40).bits == 0x3f81);
}

TEST_CASE("bf16 keeps the upper half of a float, rounded to nearest even") {
  CHECK(bf16(1.0F).bits == 0x3f80);
  CHECK(bf16(1.0F + 0x1p-8F).bits == 0x3f80);
  CHECK(bf16(1.0F + 0x3p-8F).bits == 0x3f82);
  CHECK(bf16(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(bf16(kNan).bits == 0x7fc0);
}

TEST_CASE("the 8-bit floats follow the table of ONNX Cast") {
  CHECK(f8e4m3fn(448.0F).bits == 0x7e);
  CHECK(f8e4m3fn(1000.0F).bits == 0x7e);
  CHECK(f8e4m3fn(-kInfinity).bits == 0xfe);
  CHECK(f8e4m3fn(1000.0F, kOpen).bits == 0x7f);
  CHECK(f8e4m3fn(464.0F, kOpen).bits == 0x7e);
  CHECK(f8e4m3fn(-0.0F).bits == 0x80);

  CHECK(f8e4m3fnuz(240.0F).bits == 0x7f);
  CHECK(f8e4m3fnuz(kInfinity).bits == 0x7f);
  CHECK(f8e4m3fnuz(kInfinity, kOpen).bits == 0x80);
  CHECK(f8e4m3fnuz(-0.0F).bits == 0x00);
  CHECK(f8e4m3fnuz(kNan).bits == 0x80);

  CHECK(f8e5m2(57344.0F).bits == 0x7b);
  CHECK(f8e5m2(kInfinity).bits == 0x7b);
  CHECK(f8e5m2(kInfinity, kOpen).bits == 0x7c);
  CHECK(f8e5m2(-1e9F, kOpen).bits == 0xfc);

  CHECK(f8e5m2fnuz(57344.0F).bits == 0x7f);
  CHECK(f8e5m2fnuz(-kInfinity, kOpen).bits == 0x80);
}

TEST_CASE("8-bit NaNs decode to NaN") {
  CHECK(std::isnan(static_cast<float>(of_bits<f8e4m3fn>(0x7f))));
  CHECK(std::isnan(static_cast<float>(of_bits<f8e4m3fnuz>(0x80))));
  CHECK(std::isnan(static_cast<float>(of_bits<f8e5m2>(0x7d))));
  CHECK(std::isnan(static_cast<float>(of_bits<f8e8m0>(0xff))));
}

TEST_CASE("f8e8m0 rounds the exponent as asked") {
  CHECK(f8e8m0(1.0F).bits == 127);
  CHECK(f8e8m0(1.1F, FloatRounding::up).bits == 128);
  CHECK(f8e8m0(1.9F, FloatRounding::down).bits == 127);
  CHECK(f8e8m0(1.4F, FloatRounding::nearest_even).bits == 127);
  CHECK(f8e8m0(1.5F, FloatRounding::nearest_even).bits == 128);
  CHECK(f8e8m0(0x1p-127F, FloatRounding::up).bits == 0);
  CHECK(f8e8m0(0x1.8p-127F, FloatRounding::up).bits == 1);
}

TEST_CASE("f8e8m0 saturates or becomes NaN beyond its ends") {
  CHECK(f8e8m0(0.0F).bits == 0);
  CHECK(f8e8m0(kInfinity).bits == 254);
  CHECK(f8e8m0(0x1.8p127F).bits == 254);
  CHECK(f8e8m0(0.0F, FloatRounding::nearest_even, kOpen).bits == 255);
  CHECK(f8e8m0(0x1.8p127F, FloatRounding::nearest_even, kOpen).bits == 255);
}

TEST_CASE("f4e2m1 rounds ties to even and saturates at 6") {
  const Row rows[] = {{0.25F, 0}, {0.26F, 1}, {0.75F, 2}, {2.5F, 4},        {3.5F, 6},
                      {5.0F, 6},  {5.1F, 7},  {9.0F, 7},  {-kInfinity, 15}, {-0.0F, 8}};
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CHECK(f4e2m1(row.value).bits == row.bits);
  }
}

}  // namespace strata
