#pragma once

#include "kernels/impl/convert.h"

/// Numbers to 8 bits and back.
namespace strata::kernels {
namespace {

/// Eight bits as lanes, and the ends of what they hold.
struct Unsigned8 {
  using Element = std::uint8_t;
  using Vector = Bytes;
  static constexpr float least = 0, greatest = 255;
};
struct Signed8 {
  using Element = std::int8_t;
  using Vector = SignedBytes;
  static constexpr float least = -128, greatest = 127;
};

/// Scales and zero points of the elements from i on.
template <class T>
struct Scales {
  using Element = typename T::Element;
  const Quantization& call;
  const Element* zeros = static_cast<const Element*>(call.zero);

  Vf scale(Index i, Index left) const {
    return call.step == 0 ? broadcast(*call.scale) : load_upto(call.scale + i, left);
  }
  Vf zero(Index i, Index left) const {
    if (!zeros) return Vf{};
    if (call.step == 0) return broadcast(static_cast<float>(*zeros));
    return to_float(to_lanes(load_narrow<typename T::Vector>(zeros + i, left)));
  }
};

/// The quotient is held to what saturates before it is rounded; NaN becomes the least.
template <class T>
inline void quantize_row(const Quantization& c, const float* x, typename T::Element* y) {
  const Scales<T> scales{c};
  for (Index i = 0; i < c.n; i += kLanes) {
    const Index left = c.n - i;
    const Vf zero = scales.zero(i, left);
    const Vf least = T::least - zero, greatest = T::greatest - zero;
    const Vf quotient = load_upto(x + i, left) / scales.scale(i, left);
    const Vf above = quotient > least ? quotient : least;
    const Vf inside = above < greatest ? above : greatest;
    const Vi whole = to_int(round(inside) + zero);
    store_narrow(y + i, to_bytes<typename T::Vector>(whole), left);
  }
}

template <class T>
inline void dequantize_row(const Quantization& c, const typename T::Element* x, float* y) {
  const Scales<T> scales{c};
  for (Index i = 0; i < c.n; i += kLanes) {
    const Index left = c.n - i;
    const Vi whole = to_lanes(load_narrow<typename T::Vector>(x + i, left));
    store_upto(y + i, (to_float(whole) - scales.zero(i, left)) * scales.scale(i, left), left);
  }
}

void quantize(const Quantization& c, const float* x, void* y) noexcept {
  if (c.type == IntegerType::u8)
    quantize_row<Unsigned8>(c, x, static_cast<std::uint8_t*>(y));
  else
    quantize_row<Signed8>(c, x, static_cast<std::int8_t*>(y));
}

void dequantize(const Quantization& c, const void* x, float* y) noexcept {
  if (c.type == IntegerType::u8)
    dequantize_row<Unsigned8>(c, static_cast<const std::uint8_t*>(x), y);
  else
    dequantize_row<Signed8>(c, static_cast<const std::int8_t*>(x), y);
}

}  // namespace
}  // namespace strata::kernels
