#include <doctest/doctest.h>

#include "conv_reference.h"

namespace strata::kernels::testing {
namespace {

constexpr double kTolerance = 4e-5;  // sums of up to 2400 products, one after the other

enum class Extras { none, bias, clip, tanh };

/// What one convolution is made from, as planes.
struct Case {
  Case(const BlockedShape& shape, Extras extras)
      : shape(shape),
        x(noise(s.batch * s.groups * s.in_channels * volume(s.window.in), 3)),
        weights(noise(outputs * s.in_channels * volume(s.window.kernel), 4)),
        bias(noise(outputs, 5)),
        residual(noise(s.batch * outputs * volume(s.window.out), 6)),
        // The channels that fill the input's blocks up must not count.
        laid_out_x(shape.input == Layout::planes
                       ? x
                       : blocked(x, s.batch, s.groups * s.in_channels, volume(s.window.in), 7)),
        blocked_bias(blocked(bias, 1, outputs, 1)),
        blocked_residual(blocked(residual, s.batch, outputs, volume(s.window.out))) {
    planar.shape = s;
    planar.x = x.data();
    if (extras == Extras::none) return;
    planar.bias = bias.data();
    if (extras == Extras::bias) return;
    if (shape.output == Layout::blocks) planar.residual = residual.data();
    planar.activation = extras == Extras::tanh ? UnaryFunction{Unary::tanh, 0, 0}
                                               : UnaryFunction{Unary::clip, -0.25f, 1.5f};
  }

  BlockedShape shape;
  const ConvShape& s = shape.conv;
  Index outputs = s.groups * s.out_channels;
  std::vector<float> x, weights, bias, residual;
  std::vector<float> laid_out_x, blocked_bias, blocked_residual;
  Conv planar;
};

double error_of(const KernelTable& t, const Case& c, const std::vector<double>& expected,
                Range split) {
  const ConvShape& s = c.s;
  const Index plane = volume(s.window.out);
  std::vector<float> packed(size(t.blocked_weights_size(c.shape)), kNan);
  t.pack_blocked_weights(c.shape, c.weights.data(), packed.data());
  const bool to_planes = c.shape.output == Layout::planes;
  std::vector<float> y(to_planes ? c.residual.size() : c.blocked_residual.size(), kNan);
  const Scratch scratch(t.blocked_scratch(c.shape));
  BlockedConv call{c.shape,
                   c.laid_out_x.data(),
                   packed.data(),
                   c.planar.bias ? c.blocked_bias.data() : nullptr,
                   c.planar.residual ? c.blocked_residual.data() : nullptr,
                   c.planar.activation,
                   y.data()};
  const Index tasks = t.blocked_tasks(c.shape), cut = tasks * split.begin / split.end;
  t.blocked_conv(call, {cut, tasks}, scratch.get());
  t.blocked_conv(call, {0, cut}, scratch.get());
  return largest_error(to_planes ? y : planes(y, s.batch, c.outputs, plane), expected);
}

/// `sums` are those of the convolution, which are the same whatever is made of them.
void check_output(const BlockedShape& shape, const std::vector<double>& sums, double tolerance,
                  std::initializer_list<Extras> all) {
  for (const Extras extras : all) {
    const Case c(shape, extras);
    const auto expected = finished(c.planar, sums);
    CAPTURE(c.s.in_channels);
    CAPTURE(c.outputs);
    for_each_isa([&](const KernelTable& t) {
      CHECK(error_of(t, c, expected, {0, 1}) < tolerance);
      CHECK(error_of(t, c, expected, {1, 3}) < tolerance);
    });
  }
}

void check_blocked(BlockedShape shape, double tolerance, std::initializer_list<Extras> all) {
  const Case plain(shape, Extras::none);
  const auto sums = sums_of(plain.planar, plain.weights.data());
  check_output(shape, sums, tolerance, all);
  shape.output = Layout::planes;
  if (shape.method != BlockedMethod::depthwise && shape.method != BlockedMethod::grouped)
    check_output(shape, sums, tolerance, all);
}

struct Channels {
  Index batch, groups, in, out;
};

void check_channels(const Window& window, std::initializer_list<Channels> list,
                    BlockedMethod method = BlockedMethod::direct, Layout input = Layout::blocks,
                    double tolerance = kTolerance) {
  for (const Channels& c : list)
    check_blocked({{c.batch, c.groups, c.in, c.out, window}, method, input}, tolerance,
                  {Extras::none, Extras::bias, Extras::clip, Extras::tanh});
}

/// An image so large that an emulator takes minutes for all that can be made of its sums.
void check_large(const Window& window, const Channels& c) {
  check_blocked({{c.batch, c.groups, c.in, c.out, window}, BlockedMethod::direct, Layout::blocks},
                kTolerance, {Extras::clip});
}

void check_winograd(const Window& window) {
  for (const auto& [method, tolerance] :
       {std::pair{BlockedMethod::winograd2, kTolerance}, {BlockedMethod::winograd4, 2e-4}}) {
    check_channels(window, {{1, 1, 16, 16}, {2, 1, 5, 35}, {1, 1, 40, 100}}, method, Layout::blocks,
                   tolerance);
    check_channels(window, {{2, 1, 5, 20}, {1, 1, 40, 16}}, method, Layout::planes, tolerance);
  }
}

const std::initializer_list<Channels> kDense = {
    {1, 1, 16, 16}, {2, 1, 5, 35}, {1, 1, 33, 70}, {1, 3, 16, 32}};

const std::initializer_list<Axis> kAxes = {
    {7, 3, 1, 1, 1, 1},  {17, 3, 2, 1, 1, 0}, {11, 5, 1, 1, 2, 2}, {16, 3, 1, 2, 0, 3},
    {17, 2, 3, 1, 0, 1}, {13, 7, 2, 1, 3, 3}, {5, 5, 1, 1, 4, 4},  {9, 3, 1, 1, 0, 0}};

}  // namespace

TEST_CASE("direct blocked conv agrees with its definition") {
  for (const Axis& a : kAxes) {
    CAPTURE(a.in);
    CAPTURE(a.kernel);
    check_channels(square(a), kDense);
  }
  check_channels(square({2, 5, 1, 1, 2, 2}), kDense);
  check_channels(square({2, 2, 1, 1, 3, 3}), kDense);  // rows that meet padding alone
  check_channels(window_of({{131, 5, 2, 3, 4, 7}}), kDense);
  check_channels(window_of({{250, 3, 1, 1, 0, 0}}), kDense);  // rows of more than one lot of tiles
}

TEST_CASE("blocked conv whose kernel reaches far into the padding agrees with its definition") {
  const std::initializer_list<Channels> channels = {{2, 1, 5, 35}, {1, 3, 16, 32}};
  for (const Axis& a :
       {Axis{16, 3, 1, 12, 12, 12}, Axis{9, 3, 1, 8, 8, 8}, Axis{7, 3, 1, 36, 36, 36},
        Axis{20, 3, 2, 6, 6, 5}, Axis{13, 4, 3, 5, 9, 2}, Axis{6, 2, 1, 9, 20, 11}}) {
    CAPTURE(a.in);
    CAPTURE(a.dilation);
    check_channels(square(a), channels);
  }
  check_channels(window_of({{40, 2, 1, 32, 32, 0}}), channels);                     // one axis
  check_channels(window_of({{10, 5, 1, 2, 4, 4}, {19, 1, 1, 1, 0, 0}}), channels);  // rows alone
  check_channels(window_of({{9, 3, 1, 1, 1, 1}, {12, 3, 1, 6, 6, 6}}), channels);
}

TEST_CASE("blocked conv of volumes agrees with its definition") {
  const std::initializer_list<Channels> channels = {{2, 1, 8, 35}, {1, 1, 33, 16}, {1, 2, 16, 16}};
  const Axis three{6, 3, 1, 1, 1, 1}, halved{7, 3, 2, 1, 1, 0}, whole{8, 1, 1, 1, 0, 0},
      outside{2, 2, 1, 1, 3, 3}, far{9, 3, 1, 8, 8, 8};
  for (const auto& [depth, height, width] : {std::tuple{three, three, three},
                                             {three, whole, whole},
                                             {whole, three, three},
                                             {halved, halved, three},
                                             {outside, whole, three},
                                             {far, far, far},
                                             {three, far, far},
                                             {outside, far, whole},
                                             {whole, whole, whole}}) {
    CAPTURE(depth.kernel);
    CAPTURE(height.dilation);
    check_channels(window_of({depth, height, width}), channels);
  }
  check_channels(window_of({three, three, halved}), {{1, 1, 3, 20}}, BlockedMethod::direct,
                 Layout::planes);
  check_large(window_of({{40, 3, 1, 1, 1, 1}, {30, 3, 1, 1, 1, 1}, {30, 3, 1, 1, 1, 1}}),
              {1, 1, 24, 20});
}

TEST_CASE("blocked conv whose groups do not fill blocks agrees with its definition") {
  const std::initializer_list<Channels> channels = {{1, 8, 2, 4},  {2, 3, 24, 24}, {1, 5, 8, 16},
                                                    {1, 3, 16, 6}, {2, 2, 5, 35},  {1, 7, 12, 3}};
  for (const Axis& a : kAxes) check_channels(square(a), channels);
  check_channels(square({30, 1, 1, 1, 0, 0}), channels);
  check_channels(square({16, 3, 1, 12, 12, 12}), channels);  // far into the padding
  check_large(window_of({{60, 3, 1, 1, 1, 1}, {60, 3, 1, 1, 1, 1}}), {1, 3, 24, 24});
}

TEST_CASE("pointwise blocked conv agrees with its definition, whatever the rows' length") {
  for (const Index in : {1, 4, 13, 30}) {
    check_channels(square({in, 1, 1, 1, 0, 0}), kDense);
    check_channels(square({in, 1, 2, 1, 0, 0}), kDense);
  }
  check_channels(square({21, 1, 1, 1, 0, 0}), {{1, 1, 260, 20}});  // more pixels than one task's
}

TEST_CASE("blocked conv of a large image is cut into rows") {
  check_channels(window_of({{60, 3, 1, 1, 1, 1}, {60, 3, 1, 1, 1, 1}}), {{1, 1, 24, 20}});
}

TEST_CASE("long rows of many channels are cut into parts") {
  check_channels(window_of({{450, 3, 2, 1, 1, 1}}), {{1, 1, 256, 16}});
  check_channels(window_of({{3, 2, 1, 1, 0, 1}, {230, 4, 1, 2, 3, 6}}), {{2, 1, 240, 8}});
  check_channels(window_of({{200, 3, 1, 1, 0, 0}}), {{1, 2, 512, 16}});  // read in place
}

TEST_CASE("sums of so many products that they are made in passes agree with their definition") {
  constexpr double kOfThousands = 1e-4;
  const auto check = [](const Window& window, Index out) {
    check_channels(window, {{1, 1, 1000, out}}, BlockedMethod::direct, Layout::blocks,
                   kOfThousands);
  };
  check(square({9, 3, 2, 1, 1, 1}), 20);
  check(window_of({{2, 2, 1, 1, 0, 1}, {4, 3, 1, 1, 1, 1}, {5, 3, 1, 1, 1, 1}}), 5);
  // Rows that are cut, one of all pixels, and some of a task.
  check_channels(square({13, 1, 1, 1, 0, 0}), {{1, 1, 2400, 40}}, BlockedMethod::direct,
                 Layout::blocks, kOfThousands);
  check_channels(window_of({{5, 3, 1, 1, 1, 1}, {270, 3, 1, 1, 1, 1}}), {{1, 1, 300, 20}},
                 BlockedMethod::direct, Layout::blocks, kOfThousands);
}

TEST_CASE("blocked conv makes planes whole pages apart") {
  check_channels(window_of({{8, 3, 1, 1, 1, 1}, {256, 3, 1, 1, 1, 1}}), {{1, 1, 5, 35}});
}

TEST_CASE("blocked conv reads planes, in runs of a kernel's row") {
  const std::initializer_list<Channels> channels = {{1, 1, 3, 16}, {2, 1, 1, 40}};
  for (const Axis& a : kAxes)
    if (a.dilation == 1) check_channels(square(a), channels, BlockedMethod::direct, Layout::planes);
  // A run as long as a block, at a step as long as one or not.
  for (const Index stride : {16, 4})
    check_channels(square({64, 16, stride, 1, 0, 0}), channels, BlockedMethod::direct,
                   Layout::planes);
}

TEST_CASE("weights of a direct blocked conv are packed alike for images of any size") {
  for (const Axis& a :
       {Axis{8, 3, 1, 12, 12, 12}, Axis{5, 3, 1, 1, 1, 1}, Axis{7, 1, 1, 1, 0, 0}}) {
    Axis longer = a;
    longer.in = 90;
    CAPTURE(a.kernel);
    CAPTURE(a.dilation);
    const BlockedShape small{{1, 1, 40, 48, square(a)}, BlockedMethod::direct};
    const BlockedShape large{{1, 1, 40, 48, square(longer)}, BlockedMethod::direct};
    const std::vector<float> weights = noise(48 * 40 * a.kernel * a.kernel, 3);
    for_each_isa([&](const KernelTable& t) {
      REQUIRE(t.blocked_weights_size(small) == t.blocked_weights_size(large));
      std::vector<float> one(size(t.blocked_weights_size(small))), other(one.size());
      t.pack_blocked_weights(small, weights.data(), one.data());
      t.pack_blocked_weights(large, weights.data(), other.data());
      CHECK(one == other);
    });
  }
}

TEST_CASE("two threads find an even number of tasks") {
  struct Sizes {
    Index groups, in, out, size, kernel;
    BlockedMethod method = BlockedMethod::direct;
  };
  for (const Sizes& z : {Sizes{1, 960, 160, 7, 1}, Sizes{1, 32, 192, 28, 1},
                         Sizes{1, 96, 24, 56, 1}, Sizes{1, 576, 96, 14, 1}, Sizes{1, 24, 20, 9, 3},
                         Sizes{144, 1, 1, 56, 3, BlockedMethod::depthwise},
                         Sizes{1, 64, 64, 56, 3, BlockedMethod::winograd4},
                         Sizes{1, 32, 90, 20, 3, BlockedMethod::winograd2}}) {
    CAPTURE(z.in);
    CAPTURE(z.out);
    const Index pad = z.kernel / 2;
    const BlockedShape shape{{1, z.groups, z.in, z.out, square({z.size, z.kernel, 1, 1, pad, pad})},
                             z.method};
    for_each_isa([&](const KernelTable& t) { CHECK(t.blocked_tasks(shape) % 2 == 0); });
  }
}

TEST_CASE("depthwise blocked conv agrees with its definition") {
  const std::initializer_list<Channels> channels = {{1, 16, 1, 1}, {2, 21, 1, 1}};
  for (const Axis& a : kAxes) check_channels(square(a), channels, BlockedMethod::depthwise);
  check_channels(square({1, 3, 1, 4, 4, 4}), channels, BlockedMethod::depthwise);
}

TEST_CASE("depthwise rows of any length and padding are whole, whoever shares them") {
  for (const Index kernel : {3, 5, 7})
    for (const auto& [before, after] : {std::pair{1, 1}, {2, 2}, {0, 4}, {6, 0}, {40, 40}})
      for (const Index size : {1, 4, 7, 8, 9, 15, 17}) {
        if (size + before + after < kernel) continue;
        CAPTURE(kernel);
        CAPTURE(before);
        CAPTURE(size);
        const Window window = window_of({{15, 3, 1, 1, 1, 1}, {size, kernel, 1, 1, before, after}});
        check_channels(window, {{2, 33, 1, 1}}, BlockedMethod::depthwise);
      }
}

TEST_CASE("blocked conv of 2, 4 or 8 channels a group agrees with its definition") {
  const std::initializer_list<Channels> channels = {{1, 8, 2, 2}, {2, 3, 4, 4}, {1, 5, 8, 8}};
  for (const Axis& a : kAxes) check_channels(square(a), channels, BlockedMethod::grouped);
  for (const Index size : {1, 7, 8, 9, 17})
    for (const auto& [before, after] : {std::pair{1, 1}, {0, 4}, {6, 0}, {40, 40}}) {
      if (size + before + after < 3) continue;
      CAPTURE(size);
      CAPTURE(before);
      const Window window = window_of({{5, 3, 1, 1, 1, 1}, {size, 3, 1, 1, before, after}});
      check_channels(window, channels, BlockedMethod::grouped);
    }
}

TEST_CASE("conv by Winograd's method agrees with the definition") {
  for (const Axis& a : {Axis{7, 3, 1, 1, 1, 1}, Axis{12, 3, 1, 1, 0, 1}, Axis{30, 3, 1, 1, 2, 0},
                        Axis{3, 3, 1, 1, 0, 0}, Axis{1, 3, 1, 1, 2, 2}}) {
    CAPTURE(a.in);
    check_winograd(square(a));
  }
}

TEST_CASE("conv of two taps by Winograd's method agrees with the definition") {
  for (const Axis& a : {Axis{7, 2, 1, 1, 0, 1}, Axis{31, 2, 1, 1, 1, 1}, Axis{2, 2, 1, 1, 0, 0},
                        Axis{1, 2, 1, 1, 1, 0}}) {
    CAPTURE(a.in);
    check_winograd(square(a));
  }
}

TEST_CASE("chunks of Winograd's method are rows of tiles, or equal parts of one") {
  const auto shape_of = [](Index height, Index width, Layout input) {
    const Window window = window_of({{height, 3, 1, 1, 1, 1}, {width, 3, 1, 1, 1, 1}});
    return BlockedShape{
        {1, 1, 128, 16, window}, BlockedMethod::winograd4, input, Layout::planes, {}};
  };
  for (const Layout input : {Layout::blocks, Layout::planes})
    for (const auto& [height, width] : {std::pair{96, 10}, {15, 70}}) {
      const Case c(shape_of(height, width, input), Extras::bias);
      const auto expected = expected_of(c.planar, c.weights.data());
      for_each_isa([&](const KernelTable& t) {
        CHECK(error_of(t, c, expected, {0, 1}) < 2e-4);
        CHECK(error_of(t, c, expected, {1, 3}) < 2e-4);
      });
    }
  for_each_isa([&](const KernelTable& t) {  // 24 rows of 17 tiles, of which a task takes up to 16
    CHECK(t.blocked_tasks(shape_of(96, 68, Layout::blocks)) == 48);
  });
}

TEST_CASE("the errors of Winograd's method stay below 1e-5 of the largest sum of magnitudes") {
  // 512 channels: sums of 4608 or 2048 products of numbers in [-1, 1).
  for (const auto& [method, taps] : {std::pair{BlockedMethod::winograd2, 3},
                                     {BlockedMethod::winograd4, 3},
                                     {BlockedMethod::winograd2, 2},
                                     {BlockedMethod::winograd4, 2}}) {
    const Window window = square({8, taps, 1, 1, 1, 1});
    const Case c({{1, 1, 512, 16, window}, method, Layout::blocks, Layout::blocks, {}},
                 Extras::none);
    const auto expected = expected_of(c.planar, c.weights.data());
    Conv magnitudes = c.planar;
    std::vector<float> x = c.x, weights = c.weights;
    for (float& value : x) value = std::fabs(value);
    for (float& value : weights) value = std::fabs(value);
    magnitudes.x = x.data();
    double largest = 0;
    for (const double sum : expected_of(magnitudes, weights.data()))
      largest = std::max(largest, sum);
    for_each_isa([&](const KernelTable& t) {
      CHECK(error_of(t, c, expected, {0, 1}) < 1e-5 * largest);
    });
  }
}

TEST_CASE("pooling of blocked images is that of planes") {
  for (const PoolKind kind : {PoolKind::max, PoolKind::average, PoolKind::average_include_pad}) {
    for (const Axis& a : kAxes) {
      if (a.pad >= a.kernel || a.pad_end >= a.kernel) continue;
      const Window w = square(a);
      const Index channels = 21, blocks = blocks_of(channels);
      auto x = noise(2 * channels * volume(w.in), 8);
      x[5] = kNan;
      const auto in_blocks = blocked(x, 2, channels, volume(w.in));
      Pool p{kind, 2 * channels, w, {0, a.pad_end, a.pad_end}, x.data(), nullptr};
      for_each_isa([&](const KernelTable& t) {
        std::vector<float> y(size(2 * channels * volume(w.out)));
        p.planes = 2 * channels, p.x = x.data(), p.y = y.data();
        t.pool(p, {0, p.planes});
        std::vector<float> z(size(2 * blocks * volume(w.out) * kChannelBlock), kNan);
        p.planes = 2 * blocks, p.x = in_blocks.data(), p.y = z.data();
        const Index rows = p.planes * w.out[1], cut = rows / 3;
        t.blocked_pool(p, {cut, rows});
        t.blocked_pool(p, {0, cut});
        const std::vector<double> expected(y.begin(), y.end());
        CHECK(largest_error(planes(z, 2, channels, volume(w.out)), expected) < 1e-6);
      });
    }
  }
}

TEST_CASE("pixels of blocked images are weighed and summed up") {
  constexpr Index kPixels = 20, kPlaces = 7;
  const auto x = noise(kPixels * kChannelBlock, 9);
  for (const Index picks : {1, 2, 4, 8, 64}) {
    std::vector<std::int32_t> elements;
    for (Index i = 0; i < kPlaces * picks; ++i)
      elements.push_back(static_cast<std::int32_t>(i % 5 == 1 ? -1 : (3 + 7 * i) % kPixels));
    const auto weights = noise(kPlaces * picks, 10);
    std::vector<double> expected(size(kPlaces * kChannelBlock));
    for (Index place = 0; place < kPlaces; ++place)
      for (Index lane = 0; lane < kChannelBlock; ++lane)
        for (Index t = 0; t < picks; ++t) {
          const std::int32_t element = elements[size(place * picks + t)];
          if (element < 0) continue;
          expected[size(place * kChannelBlock + lane)] +=
              static_cast<double>(weights[size(place * picks + t)]) *
              x[size(element * kChannelBlock + lane)];
        }
    for_each_isa([&](const KernelTable& t) {
      std::vector<float> y(expected.size(), kNan);
      t.pick_blocks({kPlaces, picks, elements.data(), weights.data(), x.data(), y.data()});
      CHECK(largest_error(y, expected) < 1e-5);
    });
  }
}

}  // namespace strata::kernels::testing
