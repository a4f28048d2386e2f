#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "conv_reference.h"
#include "int8_testing.h"

/// Convolutions of bytes by definition, and checks of kernels against them.
namespace strata::kernels::testing {

/// A convolution of one image and group, with zero points.
struct ConvCase {
  ConvShape shape;
  ByteKind kind = ByteKind::u8;
  std::int64_t x_zero = 0;
  std::optional<std::int64_t> w_zero = 0;  ///< of channel o it is this plus o; or none has one
};

/// To bytes, by numbers that outlive what is returned.
inline SumFinish bytes_of(const double& factor, const double& offset) {
  SumFinish finish;
  finish.output = SumOutput::bytes;
  finish.factor = {&factor};
  finish.offset = {&offset};
  return finish;
}

inline std::int64_t weight_zero(const ConvCase& c, Index channel) {
  return c.w_zero ? *c.w_zero + channel : 0;
}

/// The sum by definition: of (x - zero) (w - zero) over what lies in the input.
inline std::int64_t convolve(const ConvCase& c, const Bytes& x, const Bytes& weights, Index channel,
                             const Index (&out)[3]) {
  const Window& w = c.shape.window;
  const Index taps = volume(w.kernel), plane = volume(w.in), zero = weight_zero(c, channel);
  const std::uint8_t* own = weights.data() + channel * c.shape.in_channels * taps;
  std::int64_t sum = 0;
  for (Index tap = 0; tap < taps; ++tap) {
    const auto place = input_of(w, out, tap);
    if (!place) continue;
    for (Index in = 0; in < c.shape.in_channels; ++in)
      sum += (value_of(x[size(in * plane + *place)], c.kind) - c.x_zero) *
             (value_of(own[in * taps + tap], ByteKind::i8) - zero);
  }
  return sum;
}

struct Corrections {
  Words row_add, row_zeros;
};

/// sum of (w - wz) (x - xz) = sum of w x - wz sum of x - xz (sum of w - k wz)
inline Corrections corrections_of(const ConvCase& c, const Bytes& weights) {
  Corrections out;
  const Index k = c.shape.in_channels * volume(c.shape.window.kernel);
  for (Index o = 0; o < c.shape.out_channels; ++o) {
    std::int64_t sum = 0;
    for (Index i = 0; i < k; ++i) sum += value_of(weights[size(o * k + i)], ByteKind::i8);
    const std::int64_t zero = weight_zero(c, o);
    out.row_add.push_back(wrapped(-stored_right(c.x_zero, c.kind) * (sum - k * zero)));
    out.row_zeros.push_back(wrapped(-zero));
  }
  return out;
}

inline Words packed_weights(const Int8ConvMethod& method, const ConvShape& shape,
                            const Bytes& weights, ByteKind kind) {
  Words packed(size(method.weights_size(shape)));
  method.pack_weights(shape, weights.data(), kind, packed.data());
  if (!method.more_weights) return packed;
  packed.resize(packed.size() + size(method.more_weights(shape, packed.data())));
  method.pack_more(shape, packed.data());
  return packed;
}

inline void check_conv(const Int8Kernels& t, const ConvCase& c, const Bytes& x,
                       const Bytes& weights, SumFinish finish) {
  const ConvShape& s = c.shape;
  const Index outs = volume(s.window.out);
  const Corrections corrections = corrections_of(c, weights);
  const Int8ConvMethod& method = t.conv_method(s);
  Words image(size(method.image_size(s)));
  std::vector<Index> offsets(size(method.image_steps(s)));
  ConvShape unsized = s;
  for (int i = 0; i < 3; ++i) unsized.window.in[i] = unsized.window.out[i] = 1;
  REQUIRE(&t.conv_method(unsized) == &method);
  const Words packed = packed_weights(method, unsized, weights, ByteKind::i8);
  Bytes moved = weights;
  for (std::uint8_t& byte : moved) byte ^= 0x80;
  REQUIRE(packed_weights(method, unsized, moved, ByteKind::u8) == packed);
  method.image_offsets(s, offsets.data());
  const Index planes = method.image_planes(s);
  const Int8Image given{s, x.data(), c.kind,
                        static_cast<std::uint8_t>(stored_right(c.x_zero, c.kind))};
  Words y(size(s.out_channels * outs + 16), 0x5a5a5a5a);
  finish.row_add = corrections.row_add.data();
  const std::int32_t* row_zeros = corrections.row_zeros.data();
  const Index parts = method.parts(s), at_once = method.parts_at_once(s);
  const Index cut = s.out_channels / 2 / method.channel_step(s) * method.channel_step(s);
  for (Index first = (parts - 1) / at_once * at_once; first >= 0; first -= at_once) {
    const Range some{first, std::min(first + at_once, parts)};
    const Index middle = method.prepares_parts ? (some.begin + some.end) / 2 : some.begin;
    for (const Range piece : {Range{middle, some.end}, Range{some.begin, middle}}) {
      if (piece.begin == piece.end) continue;
      std::ranges::fill(image, 0x33333333);
      method.prepare_image(given, {0, planes / 2}, piece, image.data());
      method.prepare_image(given, {planes / 2, planes}, piece, image.data());
      const Int8Conv conv{
          s,      packed.data(), image.data(), offsets.data(), c.w_zero ? row_zeros : nullptr,
          finish, y.data()};
      for (Index part = piece.end - 1; part >= piece.begin; --part) {  // none writes into another
        method.convolve(conv, {cut, s.out_channels}, {part, part + 1});
        method.convolve(conv, {0, cut}, {part, part + 1});
      }
    }
  }
  finish.row_add = nullptr;
  for (Index o = 0; o < s.out_channels; ++o)
    for (Index i = 0; i < outs; ++i) {
      const Window& w = s.window;
      const Index out[3] = {i / (w.out[1] * w.out[2]), i / w.out[2] % w.out[1], i % w.out[2]};
      REQUIRE(output_at(finish, y.data(), o * outs + i) ==
              finished(finish, o, 0, convolve(c, x, weights, o, out)));
    }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(y.data());
  const Index width = output_bytes(finish);
  for (Index b = 0; b < 16; ++b) REQUIRE(bytes[s.out_channels * outs * width + b] == 0x5a);
}

inline void check_conv(const Int8Kernels& t, const ConvCase& c, const SumFinish& finish = {}) {
  const ConvShape& s = c.shape;
  check_conv(t, c, byte_noise(s.in_channels * volume(s.window.in), 7),
             byte_noise(s.out_channels * s.in_channels * volume(s.window.kernel), 8), finish);
}

inline ConvShape shape_of(Index in_channels, Index out_channels, const Window& window) {
  return {1, 1, in_channels, out_channels, window};
}

inline bool goes_by(ByteConvWay way, const Int8Kernels& t, const ConvShape& shape) {
  return t.conv_method(shape).way == way;
}

}  // namespace strata::kernels::testing
