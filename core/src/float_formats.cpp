#include "strata/core/float_formats.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace strata {
namespace {

/// What the topmost exponent, and the pattern of minus zero, stand for.
enum class Specials : std::uint8_t {
  ieee,         ///< infinities and NaNs
  one_nan,      ///< all ones is NaN, the rest is finite
  unsigned_nan  ///< minus zero is the only NaN
};

struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;

  constexpr std::uint32_t sign_bit() const { return 1U << (exponent_bits + mantissa_bits); }
  constexpr std::uint32_t largest() const {
    if (specials == Specials::unsigned_nan) return sign_bit() - 1;
    if (specials == Specials::one_nan) return sign_bit() - 2;
    return sign_bit() - (1U << mantissa_bits) - 1;
  }
};

constexpr Format kF16{5, 10, 15, Specials::ieee};
constexpr Format kBf16{8, 7, 127, Specials::ieee};
constexpr Format kE4M3fn{4, 3, 7, Specials::one_nan};
constexpr Format kE4M3fnuz{4, 3, 8, Specials::unsigned_nan};
constexpr Format kE5M2{5, 2, 15, Specials::ieee};
constexpr Format kE5M2fnuz{5, 2, 16, Specials::unsigned_nan};

constexpr int kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;

/// `value / 2^shift`, rounded to nearest, ties to even; value < 2^53.
std::uint64_t shifted_to_even(std::uint64_t value, int shift) {
  if (shift > kDoubleMantissa + 1) return 0;
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t kept = value >> shift;
  const std::uint64_t rest = value & (2 * half - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

/// The pattern of |value| with as large an exponent as it takes: the significand's units of the
/// least exponent count on through all larger ones, so that a carry out of the mantissa lands in
/// the exponent.
std::uint64_t rounded_magnitude(const Format& format, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>(bits >> kDoubleMantissa & 0x7ff);
  if (field == 0) return 0;
  const std::uint64_t one = std::uint64_t{1} << kDoubleMantissa;
  const std::uint64_t significand = (bits & (one - 1)) | one;
  const int above = field - kDoubleBias - (1 - format.bias);  // exponent over the least normal one
  const int shift = kDoubleMantissa - format.mantissa_bits + (above < 0 ? -above : 0);
  const auto base = static_cast<std::uint64_t>(above < 0 ? 0 : above) << format.mantissa_bits;
  return base + shifted_to_even(significand, shift);
}

/// The pattern of a NaN; where the format has several, the sign and as much of the payload as fits
/// are kept.
std::uint32_t nan_pattern(const Format& format, double value) {
  const std::uint32_t sign = std::signbit(value) ? format.sign_bit() : 0;
  if (format.specials == Specials::unsigned_nan) return format.sign_bit();
  if (format.specials == Specials::one_nan) return sign | (format.sign_bit() - 1);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t mask = (1U << format.mantissa_bits) - 1;
  std::uint32_t payload =
      static_cast<std::uint32_t>(bits >> (kDoubleMantissa - format.mantissa_bits)) & mask;
  if (payload == 0) payload = 1U << (format.mantissa_bits - 1);
  return sign | (format.largest() + 1) | payload;
}

std::uint32_t encode(const Format& format, double value, Overflow overflow) {
  if (std::isnan(value)) return nan_pattern(format, value);
  const std::uint32_t sign = std::signbit(value) ? format.sign_bit() : 0;
  const std::uint64_t magnitude = rounded_magnitude(format, value);
  if (magnitude > format.largest()) {
    if (overflow == Overflow::saturate) return sign | format.largest();
    return format.specials == Specials::unsigned_nan ? format.sign_bit()
                                                     : sign | (format.largest() + 1);
  }
  if (magnitude == 0 && format.specials == Specials::unsigned_nan) return 0;
  return sign | static_cast<std::uint32_t>(magnitude);
}

constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

constexpr float kNan = std::bit_cast<float>(0x7fc00000U);

/// The value of a pattern of any format whose exponents are all normal in float.
constexpr float decode(const Format& format, std::uint32_t bits) {
  if (format.specials == Specials::unsigned_nan && bits == format.sign_bit()) return kNan;
  const std::uint32_t magnitude = bits & (format.sign_bit() - 1);
  const std::uint32_t sign = bits == magnitude ? 0 : 0x80000000U;
  const std::uint32_t mantissa = magnitude & ((1U << format.mantissa_bits) - 1);
  const std::uint32_t fraction = mantissa << (23 - format.mantissa_bits);
  if (magnitude > format.largest()) {
    const std::uint32_t rest = format.specials == Specials::one_nan ? 0x400000U : fraction;
    return std::bit_cast<float>(sign | 0x7f800000U | rest);
  }
  const int field = static_cast<int>(magnitude >> format.mantissa_bits);
  if (field == 0) {
    const float value =
        static_cast<float>(mantissa) * power_of_two(1 - format.bias - format.mantissa_bits);
    return sign ? -value : value;
  }
  const auto exponent = static_cast<std::uint32_t>(field - format.bias + 127);
  return std::bit_cast<float>(sign | exponent << 23 | fraction);
}

constexpr std::array<float, 256> table_of(const Format& format) {
  std::array<float, 256> table{};
  for (std::uint32_t bits = 0; bits < 256; ++bits) table[bits] = decode(format, bits);
  return table;
}

constexpr auto kE4M3fnTable = table_of(kE4M3fn);
constexpr auto kE4M3fnuzTable = table_of(kE4M3fnuz);
constexpr auto kE5M2Table = table_of(kE5M2);
constexpr auto kE5M2fnuzTable = table_of(kE5M2fnuz);
constexpr std::array<float, 8> kE2M1Table{0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};

std::uint16_t encode16(const Format& format, double value) {
  return static_cast<std::uint16_t>(encode(format, value, Overflow::to_infinity_or_nan));
}

std::uint8_t encode8(const Format& format, float value, Overflow overflow) {
  return static_cast<std::uint8_t>(encode(format, value, overflow));
}

/// Whether 2^n * (1 + fraction) becomes 2^(n+1) rather than 2^n.
bool rounds_up(double fraction, FloatRounding rounding) {
  if (rounding == FloatRounding::up) return fraction > 0.0;
  return rounding == FloatRounding::nearest_even && fraction >= 0.5;
}

}  // namespace

f16::f16(float value) : bits(encode16(kF16, value)) {}
f16::f16(double value) : bits(encode16(kF16, value)) {}
f16::operator float() const { return decode(kF16, bits); }

bf16::bf16(float value) {
  const auto wide = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t top = wide >> 16;
  if (std::isnan(value)) {
    bits = static_cast<std::uint16_t>((top & 0x7f) != 0 ? top : top | 0x40);
  } else {
    bits = static_cast<std::uint16_t>((wide + 0x7fffU + (top & 1)) >> 16);
  }
}
bf16::bf16(double value) : bits(encode16(kBf16, value)) {}
bf16::operator float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

f8e4m3fn::f8e4m3fn(float value, Overflow overflow) : bits(encode8(kE4M3fn, value, overflow)) {}
f8e4m3fn::operator float() const { return kE4M3fnTable[bits]; }

f8e4m3fnuz::f8e4m3fnuz(float value, Overflow overflow)
    : bits(encode8(kE4M3fnuz, value, overflow)) {}
f8e4m3fnuz::operator float() const { return kE4M3fnuzTable[bits]; }

f8e5m2::f8e5m2(float value, Overflow overflow) : bits(encode8(kE5M2, value, overflow)) {}
f8e5m2::operator float() const { return kE5M2Table[bits]; }

f8e5m2fnuz::f8e5m2fnuz(float value, Overflow overflow)
    : bits(encode8(kE5M2fnuz, value, overflow)) {}
f8e5m2fnuz::operator float() const { return kE5M2fnuzTable[bits]; }

f8e8m0::f8e8m0(float value, FloatRounding rounding, Overflow overflow) {
  constexpr int kLeast = 0, kLargest = 254, kNanBits = 255;
  const auto beyond = [&](int nearest) {
    return static_cast<std::uint8_t>(overflow == Overflow::saturate ? nearest : kNanBits);
  };
  const double magnitude = std::fabs(static_cast<double>(value));
  if (std::isnan(value)) {
    bits = kNanBits;
  } else if (std::isinf(value)) {
    bits = beyond(kLargest);
  } else if (magnitude == 0.0) {
    bits = beyond(kLeast);
  } else {
    const int exponent = std::ilogb(magnitude);
    const double fraction = std::ldexp(magnitude, -exponent) - 1.0;
    const int wanted = exponent + 127 + rounds_up(fraction, rounding);
    if (wanted < kLeast) {
      bits = beyond(kLeast);
    } else if (wanted > kLargest) {
      bits = beyond(kLargest);
    } else {
      bits = static_cast<std::uint8_t>(wanted);
    }
  }
}
f8e8m0::operator float() const {
  if (bits == 255) return kNan;
  if (bits == 0) return std::bit_cast<float>(0x00400000U);
  return power_of_two(static_cast<int>(bits) - 127);
}

f4e2m1::f4e2m1(float value) {
  if (std::isnan(value)) {
    bits = 8;
    return;
  }
  // Halfway points between neighbours; a tie goes to the pattern with an even last bit.
  constexpr std::array<float, 7> kMiddle{0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F};
  const float magnitude = std::fabs(value);
  for (std::size_t i = 0; i < kMiddle.size(); ++i) {
    if (magnitude > kMiddle[i] || (magnitude == kMiddle[i] && i % 2 == 1)) ++bits;
  }
  if (std::signbit(value)) bits |= 8;
}
f4e2m1::operator float() const {
  const float magnitude = kE2M1Table[bits & 7];
  return bits & 8 ? -magnitude : magnitude;
}

}  // namespace strata
