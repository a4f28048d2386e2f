#include <doctest/doctest.h>

#include "conv_reference.h"

namespace strata::kernels::testing {
namespace {

/// Places, taps and padding of one axis of the convolution, and how its places become outputs:
/// `missing` of the last place's are left out.
struct Places {
  Index in, taps, pad, places;
  Index phases, cut, missing;
};

BlockedShape shape_of(const Places& rows, const Places& columns, Index in, Index channels) {
  BlockedShape shape;
  int axis = 0;
  for (const Places& p : {rows, columns}) {
    Window& w = shape.conv.window;
    w.in[axis + 1] = p.in, w.out[axis + 1] = p.places;
    w.kernel[axis + 1] = p.taps, w.pad[axis + 1] = p.pad;
    Spread& spread = shape.spread;
    spread.phases[axis] = p.phases, spread.cut[axis] = p.cut;
    spread.size[axis] = p.places * p.phases - p.cut - p.missing;
    ++axis;
  }
  shape.conv.batch = 2;
  shape.conv.in_channels = in;
  shape.conv.out_channels = blocks_of(channels) * kChannelBlock * rows.phases * columns.phases;
  shape.spread.channels = channels;
  return shape;
}

/// What one image is made from. Biases and residuals are those of the image, not of the
/// convolution.
struct Case {
  explicit Case(const BlockedShape& shape, const UnaryFunction& activation = {})
      : shape(shape),
        activation(activation),
        x(noise(s.batch * s.in_channels * volume(s.window.in), 3)),
        weights(noise(s.out_channels * s.in_channels * volume(s.window.kernel), 4)),
        bias(noise(to.channels, 5)),
        residual(noise(s.batch * to.channels * pixels, 6)) {}

  BlockedShape shape;
  UnaryFunction activation;
  const ConvShape& s = shape.conv;
  const Spread& to = shape.spread;
  Index pixels = to.size[0] * to.size[1];
  std::vector<float> x, weights, bias, residual;
};

/// Each output by the definition of a spread: of its place, the channel that is its phase.
std::vector<double> expected_of(const Case& c) {
  Conv conv;
  conv.shape = c.s;
  conv.x = c.x.data();
  const std::vector<double> sums = testing::expected_of(conv, c.weights.data());
  const Window& w = c.s.window;
  std::vector<double> y;
  for (Index n = 0; n < c.s.batch; ++n)
    for (Index channel = 0; channel < c.to.channels; ++channel)
      for (Index row = c.to.cut[0]; row < c.to.cut[0] + c.to.size[0]; ++row)
        for (Index column = c.to.cut[1]; column < c.to.cut[1] + c.to.size[1]; ++column) {
          const Index phase = row % c.to.phases[0] * c.to.phases[1] + column % c.to.phases[1];
          const Index phases = c.to.phases[0] * c.to.phases[1];
          const Index of =
              (channel / kChannelBlock * phases + phase) * kChannelBlock + channel % kChannelBlock;
          const Index place = row / c.to.phases[0] * w.out[2] + column / c.to.phases[1];
          double sum = sums[size((n * c.s.out_channels + of) * volume(w.out) + place)] +
                       static_cast<double>(c.bias[size(channel)]);
          if (c.shape.output == Layout::blocks) sum += static_cast<double>(c.residual[y.size()]);
          y.push_back(apply(c.activation, sum));
        }
  return y;
}

double error_of(const KernelTable& t, const Case& c, const std::vector<double>& expected,
                Index parts) {
  const auto x = c.shape.input == Layout::planes
                     ? c.x
                     : blocked(c.x, c.s.batch, c.s.in_channels, volume(c.s.window.in), 7);
  const auto bias = blocked(c.bias, 1, c.to.channels, 1);
  const auto residual = blocked(c.residual, c.s.batch, c.to.channels, c.pixels);
  std::vector<float> packed(size(t.blocked_weights_size(c.shape)), kNan);
  t.pack_blocked_weights(c.shape, c.weights.data(), packed.data());
  const bool to_planes = c.shape.output == Layout::planes;
  std::vector<float> y(to_planes ? c.residual.size() : residual.size(), kNan);
  const Scratch scratch(t.blocked_scratch(c.shape));
  const BlockedConv call{
      c.shape,      x.data(), packed.data(), bias.data(), to_planes ? nullptr : residual.data(),
      c.activation, y.data()};
  const Index tasks = t.blocked_tasks(c.shape);
  for (Index part = parts - 1; part >= 0; --part)
    t.blocked_conv(call, {tasks * part / parts, tasks * (part + 1) / parts}, scratch.get());
  return largest_error(to_planes ? y : planes(y, c.s.batch, c.to.channels, c.pixels), expected);
}

void check(BlockedShape shape, const UnaryFunction& activation = {}) {
  using enum Layout;
  for (const auto& [input, output] :
       {std::pair{blocks, planes}, {blocks, blocks}, {planes, planes}}) {
    shape.input = input, shape.output = output;
    for (const auto& [method, tolerance] :
         {std::pair{BlockedMethod::winograd2, 4e-5}, {BlockedMethod::winograd4, 2e-4}}) {
      shape.method = method;
      const Case c(shape, activation);
      const auto expected = expected_of(c);
      for_each_isa([&](const KernelTable& t) {
        CHECK(error_of(t, c, expected, 1) < tolerance);
        CHECK(error_of(t, c, expected, 3) < tolerance);
      });
    }
  }
}

// Of an axis: whole and cut places, as many as some tiles have or not, with padding or far outside.
const Places kPairs[] = {{6, 2, 1, 7, 2, 1, 1},
                         {9, 2, 1, 10, 2, 0, 0},
                         {1, 2, 0, 1, 2, 1, 0},
                         {13, 2, 1, 16, 2, 0, 1},
                         {5, 3, 2, 7, 2, 1, 1}};

}  // namespace

TEST_CASE("places become the outputs of two phases of each axis") {
  for (const Places& rows : kPairs)
    for (const Places& columns : kPairs) {
      if (rows.taps != columns.taps) continue;
      CAPTURE(rows.in);
      CAPTURE(columns.in);
      check(shape_of(rows, columns, 16, 16));
      check(shape_of(rows, columns, 21, 37));
    }
}

TEST_CASE("axes may have different phases, one of them, three or four") {
  for (const Index rows : {1, 2, 3, 4})
    for (const Index columns : {1, 2, 3, 4}) {
      CAPTURE(rows);
      CAPTURE(columns);
      check(
          shape_of({6, 2, 1, 7, rows, rows - 1, 0}, {8, 2, 1, 9, columns, 0, columns - 1}, 16, 40));
    }
}

TEST_CASE("rows of more tiles than are staged at a time become planes") {
  check(shape_of({5, 2, 1, 6, 2, 1, 1}, {170, 2, 1, 171, 2, 1, 1}, 16, 16));
  check(shape_of({2, 3, 2, 4, 1, 0, 0}, {301, 3, 2, 303, 2, 0, 1}, 16, 16));
}

TEST_CASE("channels whole pages apart become planes by runs") {
  check(shape_of({3, 2, 1, 4, 2, 0, 0}, {127, 2, 1, 128, 2, 0, 0}, 16, 21));  // 8 x 256 outputs
}

TEST_CASE("activations follow the sum of a spread") {
  for (const UnaryFunction& f :
       {UnaryFunction{Unary::relu}, UnaryFunction{Unary::clip, -0.25f, 1.5f},
        UnaryFunction{Unary::tanh}, UnaryFunction{Unary::leaky_relu, 0.1f}})
    check(shape_of({6, 2, 1, 7, 2, 1, 1}, {8, 2, 1, 9, 2, 1, 0}, 16, 20), f);
}

TEST_CASE("two threads find an even number of tasks for a spread") {
  const BlockedShape shape = [] {
    BlockedShape out = shape_of({32, 2, 1, 33, 2, 1, 1}, {32, 2, 1, 33, 2, 1, 1}, 64, 32);
    out.conv.batch = 1;
    return out;
  }();
  for (const BlockedMethod method : {BlockedMethod::winograd2, BlockedMethod::winograd4}) {
    BlockedShape each = shape;
    each.method = method;
    for_each_isa([&](const KernelTable& t) { CHECK(t.blocked_tasks(each) % 2 == 0); });
  }
}

}  // namespace strata::kernels::testing
