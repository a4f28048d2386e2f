#include <cstdint>

#include "strata/core/tensor.h"

namespace strata {
namespace {

DatumType byte_type(DatumType type) {
  return is_signed_integer(type) ? DatumType::i8 : DatumType::u8;
}

/// The low `bits` bits of `value` as a byte, two's complement extended when `type` has a sign.
std::uint8_t widened(unsigned value, unsigned bits, DatumType type) {
  const unsigned mask = (1U << bits) - 1;
  const unsigned low = value & mask;
  const bool negative = is_signed_integer(type) && (low >> (bits - 1)) != 0;
  return static_cast<std::uint8_t>(negative ? low | ~mask : low);
}

}  // namespace

Tensor unpacked(const Tensor& packed) {
  const DatumType type = packed.dtype();
  if (!is_packed(type)) return packed;
  const auto bits = static_cast<unsigned>(bit_width(type));
  MutableTensor out(byte_type(type), packed.shape());
  const auto from = packed.bytes();
  const auto to = out.storage_as<std::uint8_t>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t bit = i * bits;
    to[i] = widened(std::to_integer<unsigned>(from[bit / 8]) >> (bit % 8), bits, type);
  }
  return std::move(out).freeze();
}

Tensor packed(const Tensor& bytes, DatumType type) {
  if (bytes.dtype() == type) return bytes;
  require(is_packed(type) && bit_width(bytes.dtype()) == 8, ErrorKind::internal,
          "elements of type ", bytes.dtype(), " do not pack into ", type);
  const auto bits = static_cast<unsigned>(bit_width(type));
  MutableTensor out(type, bytes.shape());
  const auto from = bytes.storage_as<std::uint8_t>();
  const auto to = out.bytes();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::size_t bit = i * bits;
    const unsigned low = from[i] & ((1U << bits) - 1);
    to[bit / 8] |= static_cast<std::byte>(low << (bit % 8));
  }
  return std::move(out).freeze();
}

}  // namespace strata
