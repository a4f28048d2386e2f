#pragma once

#include <cmath>
#include <limits>

#include "strata/core/kernel_io.h"

namespace strata {

/// How the 8-bit floats round and overflow.
struct Narrowing {
  Overflow overflow = Overflow::saturate;
  FloatRounding rounding = FloatRounding::nearest_even;
};

/// As `cast` (tensor.h) between unpacked numbers, a block at a time by way of the widest type of
/// the source's kind.
void cast_numbers(const TensorView& from, const MutableTensorView& to, Narrowing narrowing);

/// `value` truncated toward 0, or the end of T that is nearer; NaN is 0.
template <class T>
T truncated(double value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::digits < 32) {  // in few steps, where loops of it become vectors
    constexpr double least = Limits::min(), most = Limits::max();
    const double number = std::isnan(value) ? 0.0 : value;
    const double below = number < most ? number : most;
    return static_cast<T>(static_cast<std::int32_t>(below > least ? below : least));
  }
  // 2 to the number of T's value bits: the first number too large, which a double holds exactly.
  constexpr double kTooLarge = 2.0 * static_cast<double>(std::uint64_t{1} << (Limits::digits - 1));
  if (std::isnan(value)) return T{0};
  if (value >= kTooLarge) return Limits::max();
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<T>(value);
}

}  // namespace strata
