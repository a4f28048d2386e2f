#include <doctest/doctest.h>

#include "conv_reference.h"

namespace strata::kernels::testing {
namespace {

constexpr double kTolerance = 2e-5;

enum class Extras { none, bias, all };

void check_conv(const ConvShape& s, Extras extras) {
  const Index outputs = s.groups * s.out_channels;
  const Index total = s.batch * outputs * volume(s.window.out);
  const auto x = noise(s.batch * s.groups * s.in_channels * volume(s.window.in), 3);
  const auto weights = noise(outputs * s.in_channels * volume(s.window.kernel), 4);
  const auto bias = noise(outputs, 5);
  const auto residual = noise(total, 6);
  Conv conv;
  conv.shape = s;
  conv.x = x.data();
  if (extras != Extras::none) conv.bias = bias.data();
  if (extras == Extras::all) {
    conv.residual = residual.data();
    conv.activation.op = Unary::relu;
  }
  const auto expected = expected_of(conv, weights.data());
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> packed(size(t.conv_weights_size(s)));
    t.pack_conv_weights(s, weights.data(), packed.data());
    std::vector<float> y(size(total), kNan);
    conv.packed_weights = packed.data();
    conv.y = y.data();
    const Scratch scratch(t.conv_scratch(s));
    const Index tasks = t.conv_tasks(s);
    for (Index task = tasks; task > 0; --task) t.conv(conv, {task - 1, task}, scratch.get());
    CHECK(largest_error(y, expected) < kTolerance);
    y.assign(y.size(), kNan);
    t.conv(conv, {tasks / 3, tasks}, scratch.get());
    t.conv(conv, {0, tasks / 3}, scratch.get());
    CHECK(largest_error(y, expected) < kTolerance);
  });
}

struct Channels {
  Index batch, groups, in, out;
};

void check_channels(const Window& window, std::initializer_list<Channels> list) {
  for (const Channels& c : list) {
    for (const Extras extras : {Extras::none, Extras::bias, Extras::all}) {
      CAPTURE(c.groups);
      CAPTURE(c.in);
      CAPTURE(c.out);
      check_conv({c.batch, c.groups, c.in, c.out, window}, extras);
    }
  }
}

const std::initializer_list<Channels> kDense = {
    {1, 1, 1, 3}, {2, 1, 5, 7}, {1, 3, 2, 17}, {1, 1, 33, 30}};
const std::initializer_list<Channels> kDepthwise = {{1, 5, 1, 1}, {2, 3, 1, 2}};

}  // namespace

TEST_CASE("conv agrees with its definition for strides, dilations and uneven padding") {
  for (const Axis& a : {Axis{7, 3, 1, 1, 1, 1}, Axis{19, 3, 2, 1, 1, 0}, Axis{41, 5, 1, 1, 2, 2},
                        Axis{23, 3, 1, 2, 0, 3}, Axis{17, 2, 3, 1, 0, 1}, Axis{37, 7, 2, 1, 3, 3},
                        Axis{5, 5, 1, 1, 4, 4}, Axis{3, 1, 1, 1, 2, 1}, Axis{70, 3, 2, 3, 5, 4}}) {
    CAPTURE(a.in);
    CAPTURE(a.kernel);
    check_channels(square(a), kDense);
    check_channels(square(a), kDepthwise);
  }
}

TEST_CASE("pointwise conv agrees with its definition") {
  for (const Index in : {1, 4, 13}) {
    check_channels(square({in, 1, 1, 1, 0, 0}), kDense);
    check_channels(square({in, 1, 2, 1, 0, 0}), kDense);
  }
  check_channels(window_of({{1, 1, 1, 1, 0, 0}, {1, 1, 1, 1, 0, 0}}),
                 {{1, 1, 40, 23}, {3, 1, 9, 1}});
}

TEST_CASE("conv runs over one and three spatial axes") {
  const Window line = window_of({{131, 5, 2, 3, 4, 7}});
  check_channels(line, {{2, 1, 3, 5}, {1, 4, 1, 1}});
  const Window solid = window_of({{5, 3, 1, 1, 1, 1}, {6, 2, 2, 1, 0, 1}, {9, 3, 1, 2, 2, 1}});
  check_channels(solid, {{2, 1, 3, 5}, {1, 3, 1, 1}});
}

TEST_CASE("conv adds up blocks of a deep k whose cuts fall inside a tap") {
  check_channels(square({6, 3, 1, 1, 1, 1}), {{1, 1, 131, 9}});
}

TEST_CASE("conv cuts tall weights and long planes into tasks") {
  check_channels(square({5, 3, 1, 1, 1, 1}), {{1, 1, 4, 111}});
  check_channels(window_of({{1201, 3, 1, 1, 1, 1}}), {{1, 1, 2, 3}});
}

TEST_CASE("depthwise conv agrees with its definition for rows and columns around a tile") {
  for (const Index kernel : {3, 5}) {
    for (const Index height : {1, 3, 4, 5, 9}) {
      for (const Index width : {1, 3, 4, 7, 9, 15, 16, 17, 33, 48, 50}) {
        CAPTURE(kernel);
        CAPTURE(height);
        CAPTURE(width);
        const Index pad = kernel / 2;
        const Axis rows{height, kernel, 1, 1, pad, pad}, columns{width, kernel, 1, 1, pad, 1};
        check_channels(window_of({rows, columns}), kDepthwise);
        const Axis far_rows{2 * height, kernel, 2, 1, pad, pad},
            far_columns{2 * width, kernel, 2, 1, pad, 1};
        check_channels(window_of({far_rows, far_columns}), kDepthwise);
      }
    }
  }
  check_channels(window_of({{3, 1, 1, 1, 0, 0}, {6, 3, 1, 1, 1, 1}, {19, 3, 1, 1, 1, 1}}),
                 kDepthwise);
}

TEST_CASE("conv to a few pixels agrees with its definition") {
  const std::initializer_list<Channels> channels = {
      {1, 1, 1, 60}, {2, 1, 5, 14}, {1, 2, 3, 33}, {1, 1, 130, 258}};
  for (const Index out : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    CAPTURE(out);
    check_channels(window_of({{out, 3, 1, 1, 1, 1}}), channels);
    check_channels(window_of({{2 * out + 1, 4, 2, 1, 1, 1}}), channels);
    check_channels(window_of({{out, 1, 1, 1, 0, 0}}), channels);
    check_channels(window_of({{out + 4, 3, 1, 4, 2, 2}}), channels);
  }
  check_channels(square({4, 3, 2, 1, 1, 0}), channels);
  check_channels(window_of({{2, 2, 1, 1, 1, 0}, {3, 3, 1, 2, 2, 2}, {4, 5, 2, 1, 2, 2}}), channels);
  check_channels(window_of({{3, 2, 1, 1, 0, 0}, {2, 1, 1, 1, 0, 0}, {2, 3, 1, 1, 1, 1}}), channels);
}

TEST_CASE("a kernel wider than the input reads only padding around it") {
  check_channels(square({2, 5, 1, 1, 2, 2}), {{1, 1, 2, 3}, {1, 2, 1, 1}});
  check_channels(square({1, 3, 1, 4, 4, 4}), {{1, 1, 2, 3}, {1, 2, 1, 1}});
}

}  // namespace strata::kernels::testing
