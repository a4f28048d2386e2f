#include "int8_conv_testing.h"

namespace strata::kernels::testing {
namespace {

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
