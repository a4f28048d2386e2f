#pragma once

#include <cstdint>

namespace strata {

/// How a wide float is rounded to a narrow one when it falls between two values.
enum class FloatRounding : std::uint8_t { nearest_even, up, down };

/// What a value beyond the largest finite one of a narrow format becomes.
enum class Overflow : std::uint8_t { saturate, to_infinity_or_nan };

/// Storage types of the narrow float formats: a bit pattern that converts exactly to float, and
/// from float or double by rounding to nearest, ties to even. Arithmetic is done in float. Sources:
/// IEEE 754 binary16; bfloat16; OCP FP8 (E4M3FN, E5M2); the FNUZ variants of ONNX; OCP MX E8M0 and
/// E2M1.
struct f16 {
  std::uint16_t bits = 0;
  f16() = default;
  explicit f16(float value);
  explicit f16(double value);
  operator float() const;
};

struct bf16 {
  std::uint16_t bits = 0;
  bf16() = default;
  explicit bf16(float value);
  explicit bf16(double value);
  operator float() const;
};

struct f8e4m3fn {
  std::uint8_t bits = 0;
  f8e4m3fn() = default;
  explicit f8e4m3fn(float value, Overflow overflow = Overflow::saturate);
  operator float() const;
};

struct f8e4m3fnuz {
  std::uint8_t bits = 0;
  f8e4m3fnuz() = default;
  explicit f8e4m3fnuz(float value, Overflow overflow = Overflow::saturate);
  operator float() const;
};

struct f8e5m2 {
  std::uint8_t bits = 0;
  f8e5m2() = default;
  explicit f8e5m2(float value, Overflow overflow = Overflow::saturate);
  operator float() const;
};

struct f8e5m2fnuz {
  std::uint8_t bits = 0;
  f8e5m2fnuz() = default;
  explicit f8e5m2fnuz(float value, Overflow overflow = Overflow::saturate);
  operator float() const;
};

/// An exponent only: 2^(bits-127), 255 is NaN; it has no sign and no zero.
///
/// The sign of a value is dropped. `nearest_even` rounds 1.5 * 2^n up, as neither end is even.
/// Values that round below 2^-127 (0 among them) or above 2^127 become the nearest end with
/// Overflow::saturate, NaN otherwise.
struct f8e8m0 {
  std::uint8_t bits = 0;
  f8e8m0() = default;
  explicit f8e8m0(float value, FloatRounding rounding = FloatRounding::up,
                  Overflow overflow = Overflow::saturate);
  operator float() const;
};

/// The low four bits hold one E2M1 value; tensors keep two in a byte.
///
/// It has no infinity and no NaN: beyond 6 it saturates, and NaN becomes -0, as in the ONNX
/// reference.
struct f4e2m1 {
  std::uint8_t bits = 0;
  f4e2m1() = default;
  explicit f4e2m1(float value);
  operator float() const;
};

}  // namespace strata
