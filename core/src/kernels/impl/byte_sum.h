#pragma once

#include "kernels/impl/convert.h"
#include "kernels/impl/nearest.h"

/// Sums of two bytes each, with a scale and a zero point of their own, as bytes.
namespace strata::kernels {
namespace {

/// The bytes of an operand less its zero point; i8 are read as the u8 that are 128 more.
struct CentredBytes {
  const std::uint8_t* data;
  std::int32_t flip;
  Vf zero;

  CentredBytes(const ByteSum::Operand& x, Index begin)
      : data(x.data + begin),
        flip(x.is_signed ? 128 : 0),
        zero(broadcast(static_cast<float>(x.zero + flip))) {}
  Vf at(Index i) const { return to_float(lanes_at(data + i) ^ flip) - zero; }
};

Index add_bytes(const ByteSum& call, Range part) noexcept {
  const Index n = (part.end - part.begin) / kByteGroup * kByteGroup;
  const CentredBytes a(call.a, part.begin), b(call.b, part.begin);
  std::uint8_t* y = call.y + part.begin;
  const Vf a_scale = broadcast(call.a.scale), b_scale = broadcast(call.b.scale);
  const Vf divisor = broadcast(call.scale);
  const ByteEnds ends{call.zero, call.is_signed ? -128 : 0, call.is_signed ? 127 : 255};
  const auto near = [=, a_factor = a_scale / divisor, b_factor = b_scale / divisor](Index i) {
    return fma(a.at(i), a_factor, b.at(i) * b_factor);
  };
  const auto write_exactly = [&](Index i) {
    Vi whole[4];
    for (Index k = 0; k < 4; ++k) {
      const Index at = i + k * kLanes;
      whole[k] = nearest_int((a.at(at) * a_scale + b.at(at) * b_scale) / divisor);
    }
    store_bytes(y + i, whole, ends, kByteGroup);
  };
  store_nearest(n, ends, y, broadcast(0.5f - call.error), near, write_exactly);
  return n;
}

}  // namespace
}  // namespace strata::kernels
