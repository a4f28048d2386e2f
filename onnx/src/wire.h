#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#define PROTOZERO_USE_VIEW std::string_view
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

/// How messages are encoded, which protozero knows: this tells it the types of their members.
namespace strata::onnx {

using Wire = protozero::pbf_reader;
using WireType = protozero::pbf_wire_type;

template <class T>
concept Message = requires {
  T::fields();
};
template <class T>
concept Number = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint64_t> || std::floating_point<T>;

template <Number T>
constexpr WireType wire_type_of() {
  if constexpr (std::same_as<T, float>) return WireType::fixed32;
  if constexpr (std::same_as<T, double>) return WireType::fixed64;
  return WireType::varint;
}

/// The number that `wire` has come to.
template <Number T>
T number(Wire& wire) {
  if constexpr (std::same_as<T, float>) return wire.get_float();
  if constexpr (std::same_as<T, double>) return wire.get_double();
  if constexpr (std::same_as<T, std::int32_t>) return wire.get_int32();
  if constexpr (std::same_as<T, std::int64_t>) return wire.get_int64();
  if constexpr (std::same_as<T, std::uint64_t>) return wire.get_uint64();
}
/// The numbers there, one after another.
template <Number T>
auto packed(Wire& wire) {
  if constexpr (std::same_as<T, float>) return wire.get_packed_float();
  if constexpr (std::same_as<T, double>) return wire.get_packed_double();
  if constexpr (std::same_as<T, std::int32_t>) return wire.get_packed_int32();
  if constexpr (std::same_as<T, std::int64_t>) return wire.get_packed_int64();
  if constexpr (std::same_as<T, std::uint64_t>) return wire.get_packed_uint64();
}

}  // namespace strata::onnx
