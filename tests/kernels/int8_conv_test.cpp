#include <doctest/doctest.h>

#include <optional>

#include "conv_reference.h"
#include "int8_testing.h"

namespace strata::kernels::testing {
namespace {

/// A convolution of one image and group, with zero points.
struct ConvCase {
  ConvShape shape;
  ByteKind kind = ByteKind::u8;
  std::int64_t x_zero = 0;
  std::optional<std::int64_t> w_zero = 0;  ///< of channel o it is this plus o; or none has one
};

/// To bytes, by numbers that outlive what is returned.
SumFinish bytes_of(const double& factor, const double& offset) {
  SumFinish finish;
  finish.output = SumOutput::bytes;
  finish.factor = {&factor};
  finish.offset = {&offset};
  return finish;
}

std::int64_t weight_zero(const ConvCase& c, Index channel) {
  return c.w_zero ? *c.w_zero + channel : 0;
}

/// The sum by definition: of (x - zero) (w - zero) over what lies in the input.
std::int64_t convolve(const ConvCase& c, const Bytes& x, const Bytes& weights, Index channel,
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
Corrections corrections_of(const ConvCase& c, const Bytes& weights) {
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

Words packed_weights(const Int8ConvMethod& method, const ConvShape& shape, const Bytes& weights,
                     ByteKind kind) {
  Words packed(size(method.weights_size(shape)));
  method.pack_weights(shape, weights.data(), kind, packed.data());
  if (!method.more_weights) return packed;
  packed.resize(packed.size() + size(method.more_weights(shape, packed.data())));
  method.pack_more(shape, packed.data());
  return packed;
}

void check_conv(const Int8Kernels& t, const ConvCase& c, const Bytes& x, const Bytes& weights,
                SumFinish finish) {
  const ConvShape& s = c.shape;
  const Index outs = volume(s.window.out);
  const Corrections corrections = corrections_of(c, weights);
  const Int8ConvMethod& method = t.conv_method(s);
  Words image(size(method.image_size(s)), 0x33333333);
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
  Int8Image given{s, x.data(), c.kind, static_cast<std::uint8_t>(stored_right(c.x_zero, c.kind))};
  Words y(size(s.out_channels * outs + 16), 0x5a5a5a5a);
  finish.row_add = corrections.row_add.data();
  const std::int32_t* row_zeros = corrections.row_zeros.data();
  const Index parts = method.parts(s), at_once = method.parts_at_once(s);
  const Index cut = s.out_channels / 2 / method.channel_step(s) * method.channel_step(s);
  for (Index first = (parts - 1) / at_once * at_once; first >= 0; first -= at_once) {
    given.first_part = first;
    method.prepare_image(given, {0, planes / 2}, image.data());
    method.prepare_image(given, {planes / 2, planes}, image.data());
    const Int8Conv conv{
        s,      packed.data(), image.data(), offsets.data(), c.w_zero ? row_zeros : nullptr,
        finish, y.data(),      first};
    const Index end = std::min(first + at_once, parts);
    for (Index part = end - 1; part >= first; --part) {  // no part may write into another
      method.convolve(conv, {cut, s.out_channels}, {part, part + 1});
      method.convolve(conv, {0, cut}, {part, part + 1});
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

void check_conv(const Int8Kernels& t, const ConvCase& c, const SumFinish& finish = {}) {
  const ConvShape& s = c.shape;
  check_conv(t, c, byte_noise(s.in_channels * volume(s.window.in), 7),
             byte_noise(s.out_channels * s.in_channels * volume(s.window.kernel), 8), finish);
}

ConvShape shape_of(Index in_channels, Index out_channels, const Window& window) {
  return {1, 1, in_channels, out_channels, window};
}

bool goes_by(ByteConvWay way, const Int8Kernels& t, const ConvShape& shape) {
  return t.conv_method(shape).way == way;
}

/// Part i of bytes that consist of parts of n.
Bytes part_of(const Bytes& bytes, Index i, Index n) {
  return Bytes(bytes.begin() + i * n, bytes.begin() + (i + 1) * n);
}

/// Groups of one input channel each, at most `groups_at_once` of `groups` of them.
void check_groups(const Int8Kernels& t, const ConvCase& all, SumFinish finish, Index groups) {
  const ConvShape& shape = all.shape;
  ConvCase one = all;
  one.shape.groups = 1;
  const Int8ConvMethod& method = t.conv_method(shape);
  const Window& w = shape.window;
  const Index channels = shape.out_channels, taps = channels * volume(w.kernel), ins = volume(w.in),
              outs = volume(w.out), packed_size = method.weights_size(one.shape);
  const Bytes x = byte_noise(shape.groups * ins, 7), weights = byte_noise(shape.groups * taps, 8);
  ConvShape whole = shape;
  whole.groups = groups;
  Words packed(size(shape.groups * packed_size)), image(size(method.image_size(whole)));
  Corrections corrections;
  for (Index g = 0; g < shape.groups; ++g) {
    const Bytes own = part_of(weights, g, taps);
    method.pack_weights(one.shape, own.data(), ByteKind::i8, packed.data() + g * packed_size);
    const Corrections more = corrections_of(one, own);
    corrections.row_add.insert(corrections.row_add.end(), more.row_add.begin(), more.row_add.end());
    corrections.row_zeros.insert(corrections.row_zeros.end(), more.row_zeros.begin(),
                                 more.row_zeros.end());
  }
  finish.row_add = corrections.row_add.data();
  std::vector<Index> offsets(size(method.image_steps(shape)));
  method.image_offsets(shape, offsets.data());
  const auto padding = static_cast<std::uint8_t>(stored_right(one.x_zero, one.kind));
  method.prepare_image({shape, x.data(), one.kind, padding}, {0, method.image_planes(shape)},
                       image.data());
  const Index all_outs = shape.groups * channels * outs;
  Words y(size(all_outs + 1), 0x5a5a5a5a);
  method.convolve({shape, packed.data(), image.data(), offsets.data(),
                   one.w_zero ? corrections.row_zeros.data() : nullptr, finish, y.data()},
                  {0, channels}, {0, 1});
  REQUIRE(reinterpret_cast<const std::uint8_t*>(y.data())[all_outs * output_bytes(finish)] == 0x5a);
  finish.row_add = nullptr;
  for (Index row = 0; row < shape.groups * channels; ++row) {
    const Bytes plane = part_of(x, row / channels, ins);
    const Bytes own = part_of(weights, row / channels, taps);
    for (Index i = 0; i < outs; ++i) {
      const Index place[3] = {0, i / w.out[2], i % w.out[2]};
      REQUIRE(output_at(finish, y.data(), row * outs + i) ==
              finished(finish, row, 0, convolve(one, plane, own, row % channels, place)));
    }
  }
}

/// in, kernel, stride, dilation, pad, pad_end
constexpr Axis kAxes[] = {{9, 1, 1, 1, 0, 0},  {9, 3, 1, 1, 1, 1},  {10, 3, 2, 1, 1, 0},
                          {9, 1, 2, 1, 0, 0},  {11, 3, 1, 2, 2, 2}, {11, 3, 2, 2, 0, 3},
                          {12, 5, 1, 1, 2, 2}, {13, 5, 3, 2, 4, 4}, {16, 7, 2, 1, 3, 3},
                          {4, 4, 1, 1, 0, 0},  {1, 3, 1, 1, 1, 1},  {6, 2, 3, 5, 4, 4}};

/// Calls `test(kernels, in_channels, axis)` for every kind of window and these numbers of channels.
template <class Test>
void for_each_axis(std::initializer_list<Index> channels, Test test) {
  for (const Axis& axis : kAxes)
    for (const Index in_channels : channels)
      for_each_int8([&](const Int8Kernels& t) {
        CAPTURE(t.name);
        CAPTURE(in_channels);
        CAPTURE(axis.kernel);
        CAPTURE(axis.stride);
        CAPTURE(axis.dilation);
        test(t, in_channels, axis);
      });
}

/// Squares of u8 with many outputs, and volumes of i8 with fewer.
void check_squares_and_volumes(std::initializer_list<Index> channels, Index many, Index fewer) {
  for_each_axis(channels, [=](const Int8Kernels& t, Index in_channels, const Axis& axis) {
    const Window volume = window_of({{5, 2, 2, 1, 1, 1}, axis, axis});
    check_conv(t, {shape_of(in_channels, many, square(axis)), ByteKind::u8, 131, 0});
    check_conv(t, {shape_of(in_channels, fewer, volume), ByteKind::i8, -9, -5});
  });
}

}  // namespace

TEST_CASE("convolutions of bytes are exact for every kind of window") {
  for_each_axis({1, 2, 3, 4, 7, 16}, [](const Int8Kernels& t, Index in_channels, const Axis& axis) {
    const Index outputs = in_channels == 1 ? 1 : 17;
    check_conv(t, {shape_of(in_channels, outputs, square(axis)), ByteKind::u8, 131, 0});
    check_conv(t, {shape_of(in_channels, 3, square(axis)), ByteKind::i8, -9, -5});
  });
}

TEST_CASE("convolutions of bytes of so many channels that rows are prepared for each tap") {
  check_squares_and_volumes({4, 7}, 150, 90);
}

TEST_CASE("convolutions of bytes whose channels are several blocks of steps") {
  check_squares_and_volumes({9, 61, 66, 136}, 35, 16);
}

TEST_CASE("convolutions of bytes over one and three axes") {
  for (const Axis& axis : kAxes)
    for (const Index in_channels : {1, 5})
      for_each_int8([&](const Int8Kernels& t) {
        check_conv(t, {shape_of(in_channels, 2, window_of({axis})), ByteKind::u8, 200, 3});
        check_conv(
            t, {shape_of(in_channels, 2, window_of({{5, 3, 2, 1, 1, 1}, axis, {6, 2, 1, 3, 1, 2}})),
                ByteKind::i8, 100, 0});
      });
}

TEST_CASE("outputs behind the last whole panel are a panel, or a few") {
  for (Index outputs = 1; outputs <= 70; ++outputs)
    for (const Index out_channels : {1, 5, 14, 17, 26}) {
      const Window point = window_of({{outputs, 1, 1, 1, 0, 0}});
      CAPTURE(outputs);
      CAPTURE(out_channels);
      for_each_int8([&](const Int8Kernels& t) {
        CAPTURE(t.name);
        check_conv(t, {shape_of(44, out_channels, point), ByteKind::u8, 3, std::nullopt});
      });
    }
}

void check_wide_and_narrow(Index width, SumOutput output, double factor) {
  const Index height = 700 / width + 1;
  const double offset = 11.5;
  SumFinish f;
  f.output = output;
  f.factor = {&factor};
  f.offset = {&offset};
  CAPTURE(width);
  CAPTURE(factor);
  for_each_int8([&](const Int8Kernels& t) {
    CAPTURE(t.name);
    const Window w = window_of({{height, 3, 1, 1, 1, 1}, {width, 3, 1, 1, 1, 1}});
    check_conv(t, {shape_of(3, 5, w), ByteKind::u8, 255, 1}, f);
    const Window point = window_of({{height, 1, 1, 1, 0, 0}, {width, 1, 1, 1, 0, 0}});
    check_conv(t, {shape_of(6, 2, point), ByteKind::u8, 0, 0}, f);
  });
}

TEST_CASE("outputs in several parts, with rows narrower and wider than a vector") {
  for (const Index width : {1, 2, 7, 16, 31, 300, 515}) {
    check_wide_and_narrow(width, SumOutput::sums, 1);
    check_wide_and_narrow(width, SumOutput::bytes, 0.003);
    check_wide_and_narrow(width, SumOutput::bytes, 1.0 / 256);  // in the middle between two, often
  }
}

TEST_CASE("convolutions of bytes by Winograd's method are those by definition") {
  const double factor = 0.0004, offset = 120;
  const SumFinish to_bytes = bytes_of(factor, offset);
  const auto plane = [](const Axis& rows, const Axis& columns) {
    return window_of({rows, columns});
  };
  const Window images[] = {plane({1, 3, 1, 1, 1, 1}, {1, 3, 1, 1, 1, 1}),
                           plane({3, 3, 1, 1, 0, 0}, {4, 3, 1, 1, 0, 0}),
                           plane({5, 3, 1, 1, 2, 0}, {7, 3, 1, 1, 0, 2}),
                           plane({7, 3, 1, 1, 1, 1}, {7, 3, 1, 1, 1, 1}),
                           plane({15, 3, 1, 1, 1, 1}, {14, 3, 1, 1, 1, 1}),
                           plane({60, 3, 1, 1, 1, 1}, {2, 3, 1, 1, 1, 1}),
                           plane({4, 3, 1, 1, 1, 1}, {135, 3, 1, 1, 1, 1}),
                           plane({3, 3, 1, 1, 1, 1}, {300, 3, 1, 1, 1, 1}),
                           window_of({{3, 1, 1, 1, 1, 0}, {6, 3, 1, 1, 1, 1}, {9, 3, 1, 1, 1, 1}})};
  for (const Window& w : images)
    for_each_int8([&](const Int8Kernels& t) {
      CAPTURE(t.name);
      CAPTURE(w.in[2]);
      check_conv(t, {shape_of(16, 20, w), ByteKind::u8, 255, 0});
      check_conv(t, {shape_of(17, 16, w), ByteKind::i8, -3, -7}, to_bytes);
      check_conv(t, {shape_of(16, 20, w), ByteKind::u8, 7, std::nullopt}, to_bytes);
    });
}

/// Whether windows of 3 x 3 of bytes go by Winograd's method: where words hold two bytes, but for
/// the baseline of x86.
bool has_winograd(const Int8Kernels& t) {
  const std::string_view name = t.name;
#if !defined(__x86_64__)
  if (name == "baseline") return true;
#endif
  return name == "avx2" || name == "avx512";
}

TEST_CASE("images of no outputs have no parts by Winograd's method") {
  const Axis side{8, 3, 1, 1, 1, 1}, empty{0, 3, 1, 1, 1, 1};
  for (const Window& w : {window_of({empty, side}), window_of({side, empty}), square(empty)})
    for_each_int8([&](const Int8Kernels& t) {
      CAPTURE(t.name);
      const ConvShape shape = shape_of(16, 20, w);
      const Int8ConvMethod& method = t.conv_method(shape);
      const bool is_winograd = method.way == ByteConvWay::winograd;
      CHECK(is_winograd == has_winograd(t));
      if (is_winograd) CHECK(method.parts(shape) == 0);
    });
}

/// Whether there is an instruction for it, and words hold four bytes.
bool multiplies_bytes(const Int8Kernels& t) {
  const std::string_view name = t.name;
  return name.ends_with("vnni") || name == "amx_int8";
}

TEST_CASE("convolutions of one channel for each output are those by definition") {
  const double factor = 0.01, offset = 120;
  const SumFinish to_bytes = bytes_of(factor, offset);
  const Window images[] = {window_of({{1, 1, 1, 1, 0, 0}, {2500, 31, 1, 1, 15, 15}}),
                           window_of({{1, 1, 1, 1, 0, 0}, {2500, 6, 2, 1, 0, 3}}),
                           window_of({{3, 3, 1, 1, 0, 1}, {1, 3, 1, 1, 1, 1}}),
                           window_of({{7, 3, 1, 1, 1, 1}, {7, 3, 1, 1, 1, 1}}),
                           window_of({{14, 3, 1, 1, 1, 1}, {14, 3, 1, 1, 1, 1}}),
                           window_of({{15, 3, 2, 1, 1, 0}, {70, 5, 2, 1, 2, 1}}),
                           window_of({{30, 3, 1, 4, 4, 4}, {33, 3, 1, 1, 1, 1}}),
                           window_of({{31, 4, 3, 2, 1, 1}, {129, 8, 1, 1, 3, 4}}),
                           window_of({{5, 2, 1, 1, 3, 3}, {62, 1, 2, 1, 9, 70}}),
                           window_of({{1, 1, 1, 1, 0, 0}, {2500, 31, 2, 1, 9, 90}}),
                           window_of({{5, 1, 2, 1, 1, 2}, {6, 3, 2, 1, 1, 1}, {9, 5, 1, 1, 2, 2}})};
  for (const Window& w : images)
    for_each_int8([&](const Int8Kernels& t) {
      CAPTURE(t.name);
      CAPTURE(w.in[2]);
      CAPTURE(w.kernel[2]);
      CHECK(goes_by(ByteConvWay::planes, t, shape_of(1, 2, w)));
      check_conv(t, {shape_of(1, 1, w), ByteKind::u8, 255, 0}, to_bytes);
      check_conv(t, {shape_of(1, 2, w), ByteKind::i8, -3, -7});
      check_conv(t, {shape_of(1, 2, w), ByteKind::u8, 9, std::nullopt}, to_bytes);
    });
}

TEST_CASE("small images of several groups are convolved at once") {
  const double factor = 0.01, offset = 120;
  const SumFinish to_bytes = bytes_of(factor, offset);
  const Window small[] = {square({7, 3, 1, 1, 1, 1}), square({14, 5, 1, 1, 2, 2}),
                          square({15, 3, 2, 1, 1, 0}), square({40, 3, 1, 1, 1, 1})};
  const Window large = square({90, 3, 1, 1, 1, 1});
  for_each_int8([&](const Int8Kernels& t) {
    CAPTURE(t.name);
    for (const Index channels : {1, 2}) {
      const ConvShape by_itself{1, 70, 1, channels, large};
      CHECK(t.conv_method(by_itself).groups_at_once(by_itself) == 1);
      for (const Window& w : small) {
        CAPTURE(w.in[2]);
        ConvShape shape{1, 70, 1, channels, w};
        shape.groups = t.conv_method(shape).groups_at_once(shape);
        CHECK(shape.groups > 1);
        check_groups(t, {shape, ByteKind::u8, 9, std::nullopt}, to_bytes, shape.groups);
      }
    }
  });
}

/// A number for each of so many rows: `scale`, 2 `scale`, … and back from the fourth on.
template <class T>
std::vector<T> for_each_row(Index rows, T scale) {
  std::vector<T> out;
  for (Index i = 0; i < rows; ++i) out.push_back(static_cast<T>(1 + i % 4) * scale);
  return out;
}

TEST_CASE("channels that lie side by side in vectors are convolved by their own numbers") {
  constexpr Index kGroups = 16;
  const Window images[] = {square({7, 3, 1, 1, 1, 1}),
                           square({14, 5, 1, 1, 2, 2}),
                           square({15, 3, 2, 1, 1, 0}),
                           square({30, 3, 1, 1, 1, 1}),
                           square({4, 4, 1, 1, 0, 0}),
                           window_of({{5, 1, 1, 1, 0, 0}, {2, 1, 1, 1, 0, 0}}),
                           window_of({{1, 1, 1, 1, 0, 0}, {21, 7, 2, 1, 3, 3}}),
                           window_of({{9, 3, 2, 2, 2, 1}, {3, 2, 1, 1, 40, 0}}),
                           window_of({{40, 2, 1, 1, 0, 1}, {29, 8, 1, 1, 4, 4}}),
                           window_of({{6, 9, 3, 1, 4, 4}, {33, 13, 1, 1, 2, 2}})};
  const double one_factor = 0.004, offset = 120;
  const std::vector<double> factors = for_each_row(kGroups, 0.001),
                            large = for_each_row(kGroups, 1e39);  // no float
  const std::vector<float> scales = for_each_row(kGroups, 0.25f),
                           biases = for_each_row(kGroups, -2.f);
  const float divisor = 40;
  SumFinish sums, floats, by_rows = bytes_of(one_factor, offset), far = by_rows, quantised;
  floats.output = SumOutput::floats;
  floats.scale = quantised.scale = {scales.data(), 1};
  floats.bias = quantised.bias = {biases.data(), 1};
  by_rows.factor = {factors.data(), 1};
  far.factor = {large.data(), 1};
  quantised.output = SumOutput::quantised;
  quantised.divisor = {&divisor};
  quantised.zero = 3;
  for (const Window& w : images)
    for_each_int8([&](const Int8Kernels& t) {
      CAPTURE(t.name);
      CAPTURE(w.in[2]);
      CAPTURE(w.kernel[2]);
      const ConvShape shape{1, kGroups, 1, 1, w};
      if (t.conv_method(shape).groups_at_once(shape) < kGroups) return;
      const auto check = [&](ByteKind kind, std::int64_t x_zero, std::optional<std::int64_t> w_zero,
                             const SumFinish& finish) {
        check_groups(t, {shape, kind, x_zero, w_zero}, finish, kGroups);
      };
      check(ByteKind::u8, 255, 0, sums);
      check(ByteKind::i8, -3, -7, floats);
      check(ByteKind::i8, 5, std::nullopt, by_rows);
      check(ByteKind::u8, 9, 2, by_rows);
      check(ByteKind::u8, 0, std::nullopt, bytes_of(one_factor, offset));
      check(ByteKind::u8, 131, std::nullopt, far);
      check(ByteKind::u8, 131, std::nullopt, quantised);
    });
}

TEST_CASE("groups that vectors of channels leave over are prepared where all of them are") {
  constexpr Index kGroups = 31;
  const double factor = 0.01, offset = 120;
  for (const Window& w :
       {square({30, 3, 1, 1, 1, 1}), window_of({{9, 1, 1, 1, 0, 0}, {4, 4, 1, 1, 0, 0}})})
    for_each_int8([&](const Int8Kernels& t) {
      CAPTURE(t.name);
      CAPTURE(w.in[2]);
      const ConvShape all{1, kGroups, 1, 1, w};
      ConvShape rest = all;
      rest.groups = std::min<Index>(t.conv_method(all).groups_at_once(all), 15);
      check_groups(t, {rest, ByteKind::u8, 9, std::nullopt}, bytes_of(factor, offset), kGroups);
    });
}

TEST_CASE(
    "planes are for one channel a sum, strides of up to two and, by bytes, rows without gaps") {
  const auto goes = [](const Int8Kernels& t, Index in_channels, const Window& w) {
    return goes_by(ByteConvWay::planes, t, shape_of(in_channels, 1, w));
  };
  for_each_int8([&](const Int8Kernels& t) {
    CAPTURE(t.name);
    const Axis plain{9, 3, 1, 1, 1, 1}, gaps{9, 3, 1, 2, 1, 1}, apart{9, 3, 3, 1, 1, 1};
    CHECK(!goes(t, 2, square(plain)));
    CHECK(!goes(t, 1, window_of({plain, apart})));
    CHECK(!goes_by(ByteConvWay::planes, t, shape_of(1, 3, square(plain))));
    CHECK(goes(t, 1, window_of({plain, gaps})) != multiplies_bytes(t));
    CHECK(goes(t, 1, window_of({plain, plain, plain})) != multiplies_bytes(t));
  });
}

TEST_CASE("pairs of bytes lie as far apart as the taps of a row") {
  const double factor = 0.02, offset = 100;
  const SumFinish to_bytes = bytes_of(factor, offset);
  const Window images[] = {
      window_of({{1, 1, 1, 1, 0, 0}, {40, 5, 1, 3, 7, 2}}),
      window_of({{9, 3, 2, 3, 4, 0}, {30, 4, 2, 3, 5, 6}}),
      window_of({{6, 3, 2, 1, 1, 1}, {7, 2, 3, 2, 1, 2}, {20, 3, 2, 2, 0, 4}}),
      window_of({{4, 2, 1, 2, 1, 0}, {1, 1, 1, 1, 0, 0}, {1100, 3, 1, 1, 1, 1}})};
  for (const Window& w : images)
    for_each_int8([&](const Int8Kernels& t) {
      CAPTURE(t.name);
      CAPTURE(w.in[2]);
      for (const Index channels : {1, 2}) {
        check_conv(t, {shape_of(1, channels, w), ByteKind::i8, 5, -7}, to_bytes);
        check_conv(t, {shape_of(1, channels, w), ByteKind::u8, 200, std::nullopt});
      }
    });
}

TEST_CASE("images of many bytes are prepared in several goes for Winograd's method") {
  const ConvShape shape = shape_of(600, 16, window_of({{6, 3, 1, 1, 1, 1}, {100, 3, 1, 1, 1, 1}}));
  for_each_int8([&](const Int8Kernels& t) {
    CAPTURE(t.name);
    const Int8ConvMethod& method = t.conv_method(shape);
    const bool by_winograd = goes_by(ByteConvWay::winograd, t, shape);
    CHECK((method.parts_at_once(shape) < method.parts(shape)) == by_winograd);
    if (by_winograd) check_conv(t, {shape, ByteKind::u8, 3, 1});
  });
}

TEST_CASE("convolutions of bytes are exact for the largest sums") {
  const Window w = square({4, 3, 1, 1, 0, 0});
  for (const Index in_channels : {16, 1800, 1801})
    for (const bool alternates : {false, true}) {
      const ConvShape shape = shape_of(in_channels, 16, w);
      Bytes x(size(in_channels * volume(w.in)), 255);
      Bytes weights(size(16 * in_channels * volume(w.kernel)), 0x80);
      for (std::size_t i = 0; alternates && i < x.size(); i += 2) x[i] = 0;
      for (std::size_t i = 0; alternates && i < weights.size(); i += 2) weights[i] = 0x7f;
      for_each_int8([&](const Int8Kernels& t) {
        CAPTURE(t.name);
        CAPTURE(in_channels);
        check_conv(t, {shape, ByteKind::u8, 0, 0}, x, weights, {});
      });
    }
}

TEST_CASE("pairs of weights whose products leave 16 bits are summed exactly") {
  const Window w = square({9, 2, 2, 1, 1, 0});
  for (const Index in_channels : {2, 8, 33})
    for (const std::uint8_t weight :
         {0x7f, 0x80, 0x41, 0xbf, 0x40, 0xc0})  // 65 and 64, of either sign
      for (const Index apart : {1, 2, 3, 40}) {
        const ConvShape shape = shape_of(in_channels, 13, w);
        const Bytes x(size(in_channels * volume(w.in)), 255);
        Bytes weights(size(13 * in_channels * volume(w.kernel)), 1);
        for (std::size_t i = 0; i < weights.size(); i += size(apart)) weights[i] = weight;
        for_each_int8([&](const Int8Kernels& t) {
          CAPTURE(t.name);
          CAPTURE(in_channels);
          CAPTURE(apart);
          check_conv(t, {shape, ByteKind::u8, 0, 0}, x, weights, {});
        });
      }
}

TEST_CASE("Winograd's method is for windows of 3 x 3 by units, and channels that repay it") {
  const auto goes = [](const Int8Kernels& t, Index in_channels, Index out_channels,
                       const Axis& axis) {
    return goes_by(ByteConvWay::winograd, t, shape_of(in_channels, out_channels, square(axis)));
  };
  for_each_int8([&](const Int8Kernels& t) {
    CAPTURE(t.name);
    CHECK(goes(t, 16, 16, {9, 3, 1, 1, 1, 1}) == has_winograd(t));
    CHECK(!goes(t, 15, 16, {9, 3, 1, 1, 1, 1}));
    CHECK(!goes(t, 16, 15, {9, 3, 1, 1, 1, 1}));
    CHECK(!goes(t, 1801, 16, {9, 3, 1, 1, 1, 1}));
    CHECK(!goes(t, 16, 16, {9, 3, 2, 1, 1, 1}));
    CHECK(!goes(t, 16, 16, {9, 3, 1, 2, 1, 1}));
    CHECK(!goes(t, 16, 16, {9, 5, 1, 1, 1, 1}));
  });
}

}  // namespace strata::kernels::testing
