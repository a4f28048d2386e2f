#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include "strata/core/tensor.h"

namespace strata {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor vec(std::initializer_list<T> values) {
  return Tensor::of<T>(Shape{static_cast<std::int64_t>(values.size())}, values);
}

Tensor f64(std::initializer_list<double> values) { return vec<double>(values); }

}  // namespace

TEST_CASE("floats become integers by truncation") {
  const Tensor values = f64({1.9, -1.9, -0.5, 3.0});
  CHECK(cast(values, DatumType::i32) == vec<std::int32_t>({1, -1, 0, 3}));
  CHECK(cast(cast(values, DatumType::f16), DatumType::i8) == vec<std::int8_t>({1, -1, 0, 3}));
}

TEST_CASE("floats out of an integer's range become its nearer end") {
  const Tensor values = f64({300.0, -1.0, kNan, kInfinity, -kInfinity});
  CHECK(cast(values, DatumType::u8) == vec<std::uint8_t>({255, 0, 0, 255, 0}));
  CHECK(cast(f64({127.9, 128.0, -128.9, -129.0}), DatumType::i8) ==
        vec<std::int8_t>({127, 127, -128, -128}));
  CHECK(cast(f64({0x1p31, -0x1p31, 2147483647.5}), DatumType::i32) ==
        vec<std::int32_t>({INT32_MAX, INT32_MIN, INT32_MAX}));
  CHECK(cast(f64({1e30, -1e30, 0x1p63}), DatumType::i64) ==
        vec<std::int64_t>({INT64_MAX, INT64_MIN, INT64_MAX}));
  CHECK(cast(f64({0x1p63, 0x1p64, -0.9}), DatumType::u64) ==
        vec<std::uint64_t>({std::uint64_t{1} << 63, UINT64_MAX, 0}));
}

TEST_CASE("integers wrap into narrower ones and keep their sign in wider ones") {
  CHECK(cast(vec<std::int16_t>({200, -1}), DatumType::i8) == vec<std::int8_t>({-56, -1}));
  CHECK(cast(vec<std::int8_t>({-1}), DatumType::u32) == vec<std::uint32_t>({0xffffffffU}));
  CHECK(cast(vec<std::uint64_t>({UINT64_MAX}), DatumType::f32) == vec<float>({0x1p64F}));
}

TEST_CASE("anything but zero is true") {
  CHECK(cast(f64({0.0, -0.0, 0.1, kNan}), DatumType::boolean) ==
        vec<bool>({false, false, true, true}));
  CHECK(cast(vec<bool>({true, false}), DatumType::f32) == vec<float>({1, 0}));
  CHECK(cast(vec<std::complex<float>>({{0, 1}, {0, 0}}), DatumType::boolean) ==
        vec<bool>({true, false}));
}

TEST_CASE("complex numbers drop the imaginary part on the way to real ones") {
  const Tensor values = vec<std::complex<float>>({{1.5F, 2}});
  CHECK(cast(values, DatumType::f64) == f64({1.5}));
  CHECK(cast(values, DatumType::c128) == vec<std::complex<double>>({{1.5, 2}}));
  CHECK(cast(vec<std::int32_t>({3}), DatumType::c64) == vec<std::complex<float>>({{3, 0}}));
}

TEST_CASE("integers below a byte wrap") {
  const Tensor values = vec<float>({-9, -8, 7, 8, 15});
  CHECK(unpacked(cast(values, DatumType::i4)) == vec<std::int8_t>({7, -8, 7, -8, -1}));
  CHECK(unpacked(cast(values, DatumType::u4)) == vec<std::uint8_t>({7, 8, 7, 8, 15}));
  CHECK(unpacked(cast(vec<float>({-3, 2, 3}), DatumType::i2)) == vec<std::int8_t>({1, -2, -1}));
  CHECK(cast(cast(values, DatumType::i4), DatumType::f32) == vec<float>({7, -8, 7, -8, -1}));
  CHECK(cast(cast(values, DatumType::i4), DatumType::u2) ==
        cast(vec<std::int8_t>({3, 0, 3, 0, 3}), DatumType::u2));
}

TEST_CASE("f4e2m1 saturates") {
  const Tensor values = vec<float>({0.48F, 0.25F, -3.5F, 9, -0.0F});
  CHECK(cast(cast(values, DatumType::f4e2m1), DatumType::f32) ==
        vec<float>({0.5F, 0, -4, 6, -0.0F}));
}

TEST_CASE("8-bit floats take the overflow and rounding asked for") {
  const Tensor values = vec<float>({1000, 1.1F});
  CHECK(cast(values, DatumType::f8e4m3fn).bytes()[0] == std::byte{0x7e});
  CHECK(cast(values, DatumType::f8e4m3fn, Overflow::to_infinity_or_nan).bytes()[0] ==
        std::byte{0x7f});
  CHECK(cast(values, DatumType::f8e8m0, Overflow::saturate, FloatRounding::up).bytes()[1] ==
        std::byte{128});
  CHECK(cast(values, DatumType::f8e8m0, Overflow::saturate, FloatRounding::down).bytes()[1] ==
        std::byte{127});
}

TEST_CASE("doubles become narrow floats in one rounding") {
  const Tensor values = f64({1.0 + 0x1p-11 + 0x1p-40});
  CHECK(cast(values, DatumType::f16).bytes()[0] == std::byte{0x01});
  CHECK(cast(f64({1.0 + 0x1p-4 + 0x1p-40}), DatumType::f8e4m3fn).bytes()[0] == std::byte{0x39});
  CHECK(cast(f64({1e300}), DatumType::f32) == vec<float>({std::numeric_limits<float>::infinity()}));
}

TEST_CASE("numbers become the shortest decimal of their type") {
  CHECK(cast(vec<float>({0.1F, 1, 1e-5F, 1e20F, -2.5F, 123456789.0F}), DatumType::string) ==
        vec<std::string>({"0.1", "1.0", "1e-05", "1e+20", "-2.5", "123456790.0"}));
  CHECK(cast(f64({kNan, kInfinity, -kInfinity, 0.1}), DatumType::string) ==
        vec<std::string>({"nan", "inf", "-inf", "0.1"}));
  CHECK(cast(cast(vec<float>({0.1F, 65504}), DatumType::f16), DatumType::string) ==
        vec<std::string>({"0.1", "65500.0"}));
  CHECK(cast(vec<std::int64_t>({INT64_MIN}), DatumType::string) ==
        vec<std::string>({"-9223372036854775808"}));
  CHECK(cast(vec<bool>({true, false}), DatumType::string) == vec<std::string>({"True", "False"}));
}

TEST_CASE("strings become the numbers they show") {
  const Tensor texts = vec<std::string>({"3.14", "1e-5", "1E8", "+INF", "inf", "-INF", " 7 "});
  CHECK(cast(texts, DatumType::f64) == f64({3.14, 1e-5, 1e8, kInfinity, kInfinity, -kInfinity, 7}));
  CHECK(std::isnan(cast(vec<std::string>({"NaN"}), DatumType::f32).item<float>()));
  CHECK(cast(vec<std::string>({"9223372036854775807", "-5", "100.5"}), DatumType::i64) ==
        vec<std::int64_t>({INT64_MAX, -5, 100}));
  CHECK(cast(vec<std::string>({"1e999", "-1e-999", "0.1"}), DatumType::f64) ==
        f64({kInfinity, -0.0, 0.1}));
  CHECK(cast(vec<std::string>({"3", "-2"}), DatumType::i4) ==
        cast(vec<std::int8_t>({3, -2}), DatumType::i4));
}

TEST_CASE("a string that shows no number is an error of the run") {
  for (const char* text : {"", "hello", "1.0x", "--1", "nan(1)", "0x10"}) {
    CAPTURE(text);
    try {
      cast(Tensor::scalar<std::string>(text), DatumType::f32);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::run_time);
    }
  }
}

TEST_CASE("dims pass through i64") {
  const Tensor dims = vec<Dim>({2, 3});
  CHECK(cast(dims, DatumType::f32) == vec<float>({2, 3}));
  CHECK(cast(vec<std::int32_t>({2, 3}), DatumType::dim) == dims);
  CHECK_THROWS_WITH_AS(cast(vec<Dim>({Dim::symbol("N")}), DatumType::i64),
                       "dim N is no integer yet", Error);
}

TEST_CASE("shapes are kept and blocks do not show") {
  MutableTensor values(DatumType::i32, Shape{3, 700});
  std::int32_t next = 0;
  for (auto& value : values.as<std::int32_t>()) value = next++;
  const Tensor doubles = cast(std::move(values).freeze(), DatumType::f64);
  CHECK(doubles.shape() == Shape{3, 700});
  bool all_right = true;
  for (std::int64_t i = 0; i < doubles.size(); ++i) {
    all_right = all_right && doubles.as<double>()[static_cast<std::size_t>(i)] == i;
  }
  CHECK(all_right);
}

}  // namespace strata
