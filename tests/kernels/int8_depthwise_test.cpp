#include "int8_conv_testing.h"

namespace strata::kernels::testing {
namespace {

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
                       {0, 1}, image.data());
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

/// Whether there is an instruction for it, and words hold four bytes.
bool multiplies_bytes(const Int8Kernels& t) {
  const std::string_view name = t.name;
  return name.ends_with("vnni") || name == "amx_int8";
}

}  // namespace

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
                           biases = for_each_row(kGroups, -2.f),
                           large_biases = for_each_row(kGroups, -700.f);
  const float divisor = 40;
  SumFinish sums, floats, by_rows = bytes_of(one_factor, offset), far = by_rows, quantised, shifted;
  floats.output = SumOutput::floats;
  floats.scale = quantised.scale = {scales.data(), 1};
  floats.bias = quantised.bias = {biases.data(), 1};
  by_rows.factor = {factors.data(), 1};
  far.factor = {large.data(), 1};
  quantised.output = SumOutput::quantised;
  quantised.divisor = {&divisor};
  quantised.zero = 3;
  shifted = quantised;
  shifted.bias.data = large_biases.data();
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
      check(ByteKind::u8, 0, std::nullopt, shifted);
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

}  // namespace strata::kernels::testing
