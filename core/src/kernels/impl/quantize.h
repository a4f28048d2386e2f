#pragma once

#include "kernels/impl/convert.h"
#include "kernels/impl/nearest.h"

/// Numbers to 8 and 16 bits and back.
namespace strata::kernels {
namespace {

/// Eight bits as lanes, and the ends of what they hold.
struct Unsigned8 {
  using Element = std::uint8_t;
  using Vector = Bytes;
  static constexpr int least = 0, greatest = 255;
};
struct Signed8 {
  using Element = std::int8_t;
  using Vector = SignedBytes;
  static constexpr int least = -128, greatest = 127;
};

/// Scales of the elements from i on.
inline Vf scale_at(const Quantization& call, Index i, Index left) {
  return call.step == 0 ? broadcast(*call.scale) : load_upto(call.scale + i, left);
}

/// Scales and zero points of the elements from i on.
template <class T>
struct Scales {
  using Element = typename T::Element;
  const Quantization& call;
  const Element* zeros = static_cast<const Element*>(call.zero);

  Vf scale(Index i, Index left) const { return scale_at(call, i, left); }
  Vf zero(Index i, Index left) const {
    if (!zeros) return Vf{};
    if (call.step == 0) return broadcast(static_cast<float>(*zeros));
    return to_float(to_lanes(load_narrow<typename T::Vector>(zeros + i, left)));
  }
};

/// What a type holds, less the zero point.
template <class T>
struct Ends {
  Vf zero, least = static_cast<float>(T::least) - zero;
  Vf greatest = static_cast<float>(T::greatest) - zero;

  /// A quotient that has been rounded is held to what does not saturate; NaN becomes the least.
  Vi whole(Vf rounded) const { return to_int(at_most(at_least(least, rounded), greatest) + zero); }
};

/// A multiple of `kByteGroup` elements with one scale, far from the ends of what a float holds, and
/// one zero point. Quotients are products with the inverse of the scale, which are off by less than
/// 1e-4 where they do not saturate, but where that might matter.
[[gnu::noinline]] void quantize_groups(Index n, float scale, const ByteEnds& ends, const float* x,
                                       std::uint8_t* y) {
  const Vf divisor = broadcast(scale), inverse = 1.0f / divisor, most = broadcast(0x1p30f);
  const auto product = [=](Index i) { return at_most(load(x + i) * inverse, most); };
  const auto write_quotients = [&](Index i) {
    Vi whole[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      whole[k] = nearest_int(at_most(load(x + i + k * kLanes) / divisor, most));
    store_bytes(y + i, whole, ends, kByteGroup);
  };
  store_nearest(n, ends, y, broadcast(kMiddle), product, write_quotients);
}

template <class T>
inline void quantize_row(const Quantization& c, const float* x, typename T::Element* y) {
  if (c.n == 0) return;
  const Scales<T> scales{c};
  const float size = __builtin_fabsf(*c.scale);
  Index i = 0;
  if (c.step == 0 && size > 0x1p-60f && size < 0x1p60f) {
    const ByteEnds ends{scales.zeros ? *scales.zeros : 0, T::least, T::greatest};
    i = c.n / kByteGroup * kByteGroup;
    quantize_groups(i, *c.scale, ends, x, reinterpret_cast<std::uint8_t*>(y));
  }
  for (; i < c.n; i += kLanes) {
    const Index left = c.n - i;
    const Ends<T> ends{scales.zero(i, left)};
    const Vi whole = ends.whole(round(load_upto(x + i, left) / scales.scale(i, left)));
    store_narrow(y + i, to_bytes<typename T::Vector>(whole), left);
  }
}

template <class T>
inline void dequantize_row(const Quantization& c, const typename T::Element* x, float* y) {
  const Scales<T> scales{c};
  const auto numbers = [=](Index i) {
    return to_float(to_lanes(load_narrow<typename T::Vector>(x + i, c.n - i)));
  };
  Index i = 0;
  if (c.step == 0) {
    const Vf zero = scales.zero(0, kLanes), scale = scales.scale(0, kLanes);
    for (; i + kLanes <= c.n; i += kLanes) store(y + i, (to_float(lanes_at(x + i)) - zero) * scale);
  }
  for (; i < c.n; i += kLanes) {
    const Index left = c.n - i;
    store_upto(y + i, (numbers(i) - scales.zero(i, left)) * scales.scale(i, left), left);
  }
}

/// Elements of 16 bits as unsigned ones: signed numbers, and their zero points, have the highest
/// bit turned. One code for both types, as they are rare.
struct Numbers16 {
  static constexpr int least = 0, greatest = 0xffff;
  const Quantization& call;
  std::uint16_t turn = call.type == IntegerType::i16 ? 0x8000 : 0;

  Vf numbers(const std::uint16_t* p, Index left) const {
    return to_float(__builtin_convertvector(load_narrow<Halves>(p, left) ^ turn, Vi));
  }
  Vf zero(Index i, Index left) const {
    const auto* zeros = static_cast<const std::uint16_t*>(call.zero);
    if (zeros && call.step != 0) return numbers(zeros + i, left);
    return broadcast(static_cast<float>((zeros ? *zeros : 0) ^ turn));
  }
};

[[gnu::noinline]] void quantize_16(const Quantization& c, const float* x, std::uint16_t* y) {
  const Numbers16 all{c};
  for (Index i = 0; i < c.n; i += kLanes) {
    const Index left = c.n - i;
    const Ends<Numbers16> ends{all.zero(i, left)};
    const Vi whole = ends.whole(round(load_upto(x + i, left) / scale_at(c, i, left)));
    store_narrow(y + i, __builtin_convertvector(whole, Halves) ^ all.turn, left);
  }
}

[[gnu::noinline]] void dequantize_16(const Quantization& c, const std::uint16_t* x, float* y) {
  const Numbers16 all{c};
  for (Index i = 0; i < c.n; i += kLanes) {
    const Index left = c.n - i;
    const Vf moved = all.numbers(x + i, left) - all.zero(i, left);
    store_upto(y + i, moved * scale_at(c, i, left), left);
  }
}

inline bool is_16_bits(IntegerType type) {
  return type == IntegerType::u16 || type == IntegerType::i16;
}

void quantize(const Quantization& c, const float* x, void* y) noexcept {
  if (is_16_bits(c.type)) return quantize_16(c, x, static_cast<std::uint16_t*>(y));
  if (c.type == IntegerType::u8)
    quantize_row<Unsigned8>(c, x, static_cast<std::uint8_t*>(y));
  else
    quantize_row<Signed8>(c, x, static_cast<std::int8_t*>(y));
}

void dequantize(const Quantization& c, const void* x, float* y) noexcept {
  if (is_16_bits(c.type)) return dequantize_16(c, static_cast<const std::uint16_t*>(x), y);
  if (c.type == IntegerType::u8)
    dequantize_row<Unsigned8>(c, static_cast<const std::uint8_t*>(x), y);
  else
    dequantize_row<Signed8>(c, static_cast<const std::int8_t*>(x), y);
}

}  // namespace
}  // namespace strata::kernels
