#pragma once

#include <concepts>
#include <cstdint>

namespace strata::onnx {

/// How a value of a message is encoded.
enum class Wire : std::uint32_t { varint, fixed64, bytes, group, group_end, fixed32 };

template <class T>
concept Message = requires {
  T::fields();
};

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;

template <Number T>
constexpr Wire wire_of() {
  if constexpr (std::same_as<T, float>) return Wire::fixed32;
  if constexpr (std::same_as<T, double>) return Wire::fixed64;
  return Wire::varint;
}

}  // namespace strata::onnx
