#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

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

/// `value` truncated toward 0 and wrapped to T; beyond 64 bits the nearest end of T; NaN is 0.
template <class T>
T truncated(double value) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (std::isnan(value)) return T{0};
  if (value >= -kTwo63 && value < kTwo63) return static_cast<T>(static_cast<std::int64_t>(value));
  if (std::is_same_v<T, std::uint64_t> && value >= kTwo63 && value < 2 * kTwo63) {
    return static_cast<T>(static_cast<std::uint64_t>(value));
  }
  return value < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

}  // namespace strata
