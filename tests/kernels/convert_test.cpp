#include <doctest/doctest.h>

#include <bit>

#include "kernel_testing.h"
#include "strata/core/float_formats.h"

namespace strata::kernels::testing {
namespace {

constexpr std::uint32_t kFew = 65521;  // prime, so all exponents and mantissas mix

/// Bit patterns of every exponent, and where rounding and overflow turn.
std::vector<float> all_sorts() {
  std::vector<float> v = {0.0f,           -0.0f,       kInf,        -kInf,     kNan,
                          65504.0f,       65519.99f,   65520.0f,    -65520.0f, 0x1p-24f,
                          0x1p-25f,       0x1.8p-25f,  0x1.8p-24f,  0x1p-14f,  0x1.ffcp-15f,
                          0x1.ffep-15f,   1.00048828f, 1.00146484f, 0x1.01p0f, 0x1.03p0f,
                          0x1.fffffep127f};
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += kFew) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!std::isnan(x)) v.push_back(x);
  }
  return v;
}

/// Both NaN, or the same bits.
template <class T>
bool same(T a, T b) {
  return (std::isnan(static_cast<float>(a)) && std::isnan(static_cast<float>(b))) ||
         a.bits == b.bits;
}

template <class T>
void check_narrowing(NarrowFloat type) {
  const auto x = all_sorts();
  for_each_isa([&](const KernelTable& t) {
    std::vector<std::uint16_t> y(x.size() + 1, 0xbeef);
    t.narrow_floats(type, x.data(), y.data(), static_cast<Index>(x.size()));
    CHECK(y.back() == 0xbeef);
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      T got;
      got.bits = y[i];
      if (!same(got, T(static_cast<double>(x[i])))) ++wrong;
    }
    CHECK(wrong == 0);
  });
}

template <class T>
void check_widening(NarrowFloat type) {
  std::vector<std::uint16_t> x;
  for (int bits = 0; bits < 65536; ++bits) x.push_back(static_cast<std::uint16_t>(bits));
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(x.size());
    t.widen_floats(type, x.data(), y.data(), static_cast<Index>(x.size()));
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      T number;
      number.bits = x[i];
      const float expected = static_cast<float>(number);
      if (std::bit_cast<std::uint32_t>(y[i]) != std::bit_cast<std::uint32_t>(expected) &&
          !(std::isnan(y[i]) && std::isnan(expected)))
        ++wrong;
    }
    CHECK(wrong == 0);
  });
}

template <class T>
void check_truncation(IntegerType type) {
  using Ends = std::numeric_limits<T>;
  std::vector<float> x = all_sorts();
  for (int i = -1200; i <= 1200; ++i) x.push_back(static_cast<float>(i) * 0.25f);
  x.insert(x.end(), {0x1p31f, -0x1p31f, 2147483520.0f, 0x1p63f, -0x1p63f, 0x1.fffffep62f});
  for_each_isa([&](const KernelTable& t) {
    for (const Index n : {static_cast<Index>(x.size()), Index{1}, Index{9}, Index{17}}) {
      std::vector<T> y(size(n) + 1, 77);
      t.truncate_floats(type, x.data(), y.data(), n);
      CHECK(y.back() == 77);
      int wrong = 0;
      for (Index i = 0; i < n; ++i) {
        const double v = std::trunc(static_cast<double>(x[size(i)]));
        T expected = 0;
        if (v >= static_cast<double>(Ends::max()))
          expected = Ends::max();
        else if (v <= static_cast<double>(Ends::min()))
          expected = Ends::min();
        else if (!std::isnan(v))
          expected = static_cast<T>(v);
        if (y[size(i)] != expected) ++wrong;
      }
      CHECK(wrong == 0);
    }
  });
}

/// saturate(round(x / scale) + zero), halves to even.
template <class T>
T quantised(float x, float scale, T zero) {
  using Ends = std::numeric_limits<T>;
  const double whole = std::nearbyint(static_cast<double>(x / scale)) + zero;
  return static_cast<T>(std::fmin(std::fmax(whole, Ends::min()), Ends::max()));
}

/// Numbers of all sorts, and those around the middle between two multiples of `scale`.
std::vector<float> to_quantise(float scale) {
  std::vector<float> x = {0.0f, -0.0f, 1e9f, -1e9f, 3e9f, -3e9f, 3e38f, -3e38f, kInf, -kInf, kNan};
  for (int i = -400; i <= 400; ++i) x.push_back(static_cast<float>(i) * 0.25f);
  for (int i = -300; i < 300; ++i) {
    const float half = (static_cast<float>(i) + 0.5f) * scale;
    x.insert(x.end(), {half, std::nextafter(half, kInf), std::nextafter(half, -kInf)});
  }
  return x;
}

/// With this scale for all or, with a step, others too.
template <class T>
void check_quantising(IntegerType type, float scale, Index step) {
  const std::vector<float> x = to_quantise(scale);
  const Index n = static_cast<Index>(x.size());
  std::vector<float> scales(x.size(), scale);
  std::vector<T> zeros(x.size(), 3);
  for (std::size_t i = 0; step == 1 && i < x.size(); ++i) {
    scales[i] = 0.25f + static_cast<float>(i % 7) * 0.125f;
    zeros[i] = static_cast<T>(i * 37);
  }
  for_each_isa([&](const KernelTable& t) {
    for (const T* zero : {static_cast<const T*>(nullptr), static_cast<const T*>(zeros.data())}) {
      const Quantization call{type, n, scales.data(), zero, step};
      std::vector<T> y(x.size() + 1, 99);
      t.quantize(call, x.data(), y.data());
      CHECK(y.back() == 99);
      std::vector<float> back(x.size());
      t.dequantize(call, y.data(), back.data());
      int wrong = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t at = step == 1 ? i : 0;
        const T own = zero ? zero[at] : T{0};
        if (y[i] != quantised(x[i], scales[at], own)) ++wrong;
        if (back[i] != static_cast<float>(y[i] - own) * scales[at]) ++wrong;
      }
      CHECK(wrong == 0);
    }
  });
}

}  // namespace

TEST_CASE("floats to f16 and bf16 are rounded to nearest, halves to even") {
  check_narrowing<f16>(NarrowFloat::f16);
  check_narrowing<bf16>(NarrowFloat::bf16);
}

TEST_CASE("every f16 and bf16 becomes the float it is") {
  check_widening<f16>(NarrowFloat::f16);
  check_widening<bf16>(NarrowFloat::bf16);
}

TEST_CASE("floats to integers go toward 0 and end at the ends of the type") {
  check_truncation<std::uint8_t>(IntegerType::u8);
  check_truncation<std::int8_t>(IntegerType::i8);
  check_truncation<std::int32_t>(IntegerType::i32);
  check_truncation<std::int64_t>(IntegerType::i64);
}

TEST_CASE("numbers to 8 bits and back, with one scale or one for each") {
  for (const float scale : {0.5f, 0.1f, -0.37f, 1e-30f}) {
    check_quantising<std::uint8_t>(IntegerType::u8, scale, 0);
    check_quantising<std::int8_t>(IntegerType::i8, scale, 0);
  }
  check_quantising<std::uint8_t>(IntegerType::u8, 0.5f, 1);
  check_quantising<std::int8_t>(IntegerType::i8, 0.5f, 1);
}

}  // namespace strata::kernels::testing
