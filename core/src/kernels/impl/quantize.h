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

  /// A quotient that has been rounded is held to what does not saturate; NaN becomes the least.
  Vi whole(Vf rounded) const { return to_int(at_most(at_least(least, rounded), greatest) + zero); }
};

/// x / scale, rounded: times the inverse, which is off by less than 1e-4 where the result does not
/// saturate, unless one of them lies so close to the middle between two that it might be rounded
/// otherwise; NaN counts as that. `far` is bits of how far off the numbers are.
template <int V>
inline void rounded_quotients(const Vf (&x)[V], Vf scale, Vf inverse, Vf (&rounded)[V]) {
  Vi far{};
#pragma GCC unroll 4
  for (int k = 0; k < V; ++k) {
    const Vf product = x[k] * inverse;
    rounded[k] = round(product);
    const Vi off = bits(abs(product - rounded[k]));
    far = far > off ? far : off;
  }
  if (__builtin_expect(any(far > bits(broadcast(0.4999f))), 0)) {
#pragma GCC unroll 4
    for (int k = 0; k < V; ++k) rounded[k] = round(x[k] / scale);
  }
}

/// With one scale, and one zero point, that are far from the ends of what a float holds.
template <class T>
inline void quantize_alike(const Quantization& c, const float* x, typename T::Element* y) {
  const Scales<T> scales{c};
  const Ends<T> ends{scales.zero(0, kLanes)};
  const Vf scale = broadcast(*c.scale), inverse = 1.0f / scale;
  const Index n = c.n;
  Index i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    Vf v[4], rounded[4];
    Vi whole[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) v[k] = load(x + i + k * kLanes);
    rounded_quotients(v, scale, inverse, rounded);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) whole[k] = ends.whole(rounded[k]);
    store_bytes<typename T::Vector>(y + i, whole);
  }
  for (; i < n; i += kLanes) {
    const Vf v[1] = {load_upto(x + i, n - i)};
    Vf rounded[1];
    rounded_quotients(v, scale, inverse, rounded);
    store_narrow(y + i, to_bytes<typename T::Vector>(ends.whole(rounded[0])), n - i);
  }
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
    const Vi whole = ends.whole(round(load_upto(x + i, left) / scales.scale(i, left)));
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
