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

/// What 8 bits hold, less the zero point.
template <class T>
struct Ends {
  Vf zero, least = T::least - zero, greatest = T::greatest - zero;

  /// The quotient is held to what saturates before it is rounded; NaN becomes the least.
  Vi whole(Vf quotient) const {
    const Vf above = quotient > least ? quotient : least;
    const Vf inside = above < greatest ? above : greatest;
    return to_int(round(inside) + zero);
  }
};

/// x / scale to be rounded: times the inverse, which is off by less than 1e-4 where the result does not
/// saturate, unless that might change how it is rounded.
inline Vf quotient_to_round(Vf x, Vf scale, Vf inverse) {
  const Vf product = x * inverse;
  const Vi is_close = abs(product - round(product)) > 0.4999f;
  return __builtin_expect(any(is_close), 0) ? x / scale : product;
}

/// With one scale, and one zero point, that are far from the ends of what a float holds.
template <class T>
inline void quantize_alike(const Quantization& c, const float* x, typename T::Element* y) {
  const Scales<T> scales{c};
  const Ends<T> ends{scales.zero(0, kLanes)};
  const Vf scale = broadcast(*c.scale), inverse = 1.0f / scale;
  const auto bytes = [&](Vf v) {
    return to_bytes<typename T::Vector>(ends.whole(quotient_to_round(v, scale, inverse)));
  };
  const Index n = c.n;
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto whole = bytes(load(x + i));
    std::memcpy(y + i, &whole, sizeof whole);
  }
  if (i < n) store_narrow(y + i, bytes(load_first(x + i, n - i)), n - i);
}

template <class T>
inline void quantize_row(const Quantization& c, const float* x, typename T::Element* y) {
  if (c.n == 0) return;
  const float size = __builtin_fabsf(*c.scale);
  if (c.step == 0 && size > 0x1p-60f && size < 0x1p60f) return quantize_alike<T>(c, x, y);
  const Scales<T> scales{c};
  for (Index i = 0; i < c.n; i += kLanes) {
    const Index left = c.n - i;
    const Ends<T> ends{scales.zero(i, left)};
    const Vi whole = ends.whole(load_upto(x + i, left) / scales.scale(i, left));
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
