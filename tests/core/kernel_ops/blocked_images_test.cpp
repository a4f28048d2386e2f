#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/pool_kernel.h"
#include "kernel_ops/unary_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/unary.h"
#include "support/lowered.h"
#include "support/models.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// The largest difference, as a part of the largest number there is.
double largest_error(const Tensor& actual, const Tensor& expected) {
  REQUIRE((actual.shape() == expected.shape()));
  double error = 0, largest = 1;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const double wanted = number_at(expected, i);
    largest = std::max(largest, std::abs(wanted));
    error = std::max(error, std::abs(number_at(actual, i) - wanted));
  }
  return error / largest;
}

/// A model of images, put together op by op.
struct Net {
  explicit Net(std::uint32_t seed = 1) : noise(seed) {}

  OutletId input(const Shape& shape) {
    inputs.push_back(noise.tensor(DatumType::f32, shape));
    return model.add_source(name("x"), float_fact(shape));
  }
  std::string name(std::string_view stem) { return cat(stem, count++); }
  Tensor small(const Shape& shape) {
    MutableTensor out(DatumType::f32, shape);
    for (float& x : out.as<float>()) x = static_cast<float>(noise.number(-8, 8)) / 32;
    return std::move(out).freeze();
  }
  std::int64_t channels(OutletId x) const { return *model.fact(x).shape[1].constant(); }

  OutletId conv(OutletId x, std::int64_t out, std::int64_t kernel = 3, Conv op = {}) {
    const std::size_t axes = model.fact(x).shape.rank() - 2;
    Shape weights(axes + 2, kernel);
    weights[0] = out, weights[1] = channels(x) / op.group;
    if (op.padding.amounts.empty()) op.padding.amounts = Shape(2 * axes, kernel / 2);
    return model.wire_one(
        name("conv"), op,
        {x, model.constant(name("w"), small(weights)), model.constant(name("b"), small({out}))});
  }
  OutletId wire(const TypedOp& op, const OutletIds& in) {
    return model.wire_one(name("op"), op, in);
  }
  OutletId constant(const Tensor& value) { return model.constant(name("c"), value); }

  /// Optimises the model with these outputs, checks that they stay as they were, and gives the
  /// number of live nodes with such an op.
  template <class Op>
  std::size_t count_after(const OutletIds& outputs) {
    for (const OutletId out : outputs) model.add_output(name("y"), out);
    const ValueList before = run_model(model, inputs);
    optimise(model);
    const ValueList after = run_model(model, inputs);
    for (std::size_t i = 0; i < before.size(); ++i)
      CHECK(largest_error(after[i].tensor(), before[i].tensor()) < 1e-4);
    CHECK(run_on_threads(3) == after);
    return live<Op>();
  }
  ValueList run_on_threads(std::size_t threads) const {
    Session session(Plan::build(model, {}), {.threads = threads});
    return session.run(inputs);
  }
  template <class Op>
  std::size_t live() const {
    std::size_t found = 0;
    for (const std::uint32_t id : model.order()) found += model.node(id).op.as<Op>() != nullptr;
    return found;
  }

  Noise noise;
  TypedModel model;
  ValueList inputs;
  int count = 0;
};

const Shape kImage{2, 16, 9, 11};

/// Convolutions on both sides of `between` stay in blocks: one comes to them, one leaves them.
std::size_t conversions_around(const std::function<OutletId(Net&, OutletId)>& between,
                               std::int64_t channels) {
  Net net;
  const OutletId x = net.conv(net.input(kImage), channels);
  net.count_after<BlockChannels>({net.conv(between(net, x), 20)});
  return net.live<BlockChannels>() + net.live<UnblockChannels>();
}

Tensor axes(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

TEST_SUITE("blocked images") {
  TEST_CASE("functions, pools and residuals between convolutions stay in blocks") {
    using Between = std::function<OutletId(Net&, OutletId)>;
    const std::vector<std::pair<std::string, Between>> cases{
        {"relu", [](Net& n, OutletId x) { return n.wire(Unary{UnaryOp::relu}, {x}); }},
        {"leaky relu",
         [](Net& n, OutletId x) {
           return n.wire(Activation{ActivationKind::leaky_relu, 0.1, 0}, {x});
         }},
        {"residual",
         [](Net& n, OutletId x) {
           return n.wire(Binary{BinaryOp::add}, {x, n.conv(x, n.channels(x))});
         }},
        {"a number",
         [](Net& n, OutletId x) {
           return n.wire(Binary{BinaryOp::sub}, {n.constant(Tensor::scalar(1.5F)), x});
         }},
        {"numbers for each channel",
         [](Net& n, OutletId x) {
           return n.wire(Binary{BinaryOp::max}, {x, n.constant(n.small({n.channels(x), 1, 1}))});
         }},
        {"max pool",
         [](Net& n, OutletId x) {
           return n.wire(Pool{.kind = PoolKind::max, .kernel = {3, 2}, .strides = {2, 1}}, {x});
         }},
        {"average pool",
         [](Net& n, OutletId x) {
           return n.wire(Pool{.kind = PoolKind::average,
                              .kernel = {2, 3},
                              .padding = {Padding::Kind::fixed, {1, 1, 0, 1}},
                              .count_padding = true},
                         {x});
         }},
        {"gates of channels",
         [](Net& n, OutletId x) {
           const OutletId mean =
               n.wire(Reduce{.op = Reduction::mean}, {x, n.constant(axes({-1, 2}))});
           const OutletId gate = n.wire(Unary{UnaryOp::sigmoid}, {mean});
           return n.wire(Binary{BinaryOp::mul}, {gate, x});
         }},
    };
    for (const auto& [name, between] : cases)
      for (const std::int64_t channels : {32, 21}) {
        CAPTURE(name);
        CAPTURE(channels);
        CHECK(conversions_around(between, channels) == 2);
      }
  }

  TEST_CASE("what fills a block up never becomes infinite") {
    const auto log = [](Net& n, OutletId x) {
      const OutletId positive = n.wire(Unary{UnaryOp::exp}, {x});
      return n.wire(Unary{UnaryOp::log}, {positive});
    };
    CHECK(conversions_around(log, 32) == 2);
    CHECK(conversions_around(log, 21) == 4);
    const auto quotient = [](Net& n, OutletId x) {
      return n.wire(Binary{BinaryOp::div}, {x, n.wire(Unary{UnaryOp::exp}, {x})});
    };
    CHECK(conversions_around(quotient, 32) == 2);
    CHECK(conversions_around(quotient, 21) == 4);
  }

  TEST_CASE("whole blocks are joined; the last input may end within one") {
    const auto joined = [](std::int64_t first, std::int64_t second) {
      return [=](Net& n, OutletId x) {
        return n.wire(Concat{1}, {n.conv(x, first, 1), n.conv(x, second)});
      };
    };
    CHECK(conversions_around(joined(16, 32), 16) == 2);
    CHECK(conversions_around(joined(32, 9), 16) == 2);
    CHECK(conversions_around(joined(9, 32), 16) == 5);
  }

  TEST_CASE("images of few channels are read as planes") {
    Net net;
    const OutletId x = net.conv(net.input({1, 3, 17, 16}), 24, 5);
    CHECK(net.count_after<BlockChannels>({net.conv(net.wire(Unary{UnaryOp::relu}, {x}), 8)}) == 0);
    CHECK(net.live<BlockedConvKernel>() == 2);
  }

  TEST_CASE("depthwise, grouped and one-dimensional convolutions have blocked kernels") {
    Net net;
    OutletId x = net.conv(net.input({1, 32, 40}), 32, 5, {.strides = {2}});
    x = net.conv(x, 32, 3, {.group = 32});
    x = net.conv(x, 64, 3, {.dilations = {2}, .group = 2});
    CHECK(net.count_after<BlockedConvKernel>({x}) == 3);
    CHECK(net.live<UnblockChannels>() == 1);
  }

  TEST_CASE("convolutions that blocks would not help are left alone") {
    for (const auto& build : std::vector<std::function<OutletId(Net&)>>{
             [](Net& n) { return n.conv(n.input(kImage), 32, 1); },
             [](Net& n) {
               return n.conv(n.conv(n.input({1, 16, 2, 3}), 16), 16);
             },
             [](Net& n) { return n.conv(n.conv(n.input(kImage), 4, 1), 4, 1); },
             [](Net& n) {
               const OutletId w = n.input({16, 16, 3, 3});
               return n.wire(Conv{}, {n.input(kImage), w});
             },
             [](Net& n) {
               return n.conv(n.input({1, 16, 5, 5, 5}), 16);
             }}) {
      Net net;
      CHECK(net.count_after<BlockedConvKernel>({build(net)}) == 0);
    }
  }

  TEST_CASE("kernels of 3 x 3 take Winograd's way where it saves products") {
    const auto method = [](std::int64_t size, std::int64_t channels) {
      Net net;
      const OutletId x = net.conv(net.input({1, channels, size, size}), channels);
      net.count_after<BlockedConvKernel>({net.conv(x, channels)});
      for (const std::uint32_t id : net.model.order())
        if (const auto* conv = net.model.node(id).op.as<BlockedConvKernel>()) return conv->method;
      return kernels::BlockedMethod::depthwise;
    };
    CHECK(method(28, 64) == kernels::BlockedMethod::winograd4);
    CHECK(method(7, 64) == kernels::BlockedMethod::winograd2);
    CHECK(method(3, 64) == kernels::BlockedMethod::direct);
  }

  TEST_CASE("an image that others read too is converted for them") {
    Net net;
    const OutletId x = net.conv(net.input(kImage), 32);
    const OutletId y = net.conv(net.wire(Unary{UnaryOp::relu}, {x}), 32);
    CHECK(net.count_after<BlockChannels>({x, y, net.wire(Softmax{.axes = {1}}, {y})}) == 1);
  }

  TEST_CASE("random nets give what their ops give one by one") {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      CAPTURE(seed);
      Net net(seed);
      OutletIds wires{net.input({1, net.noise.number(1, 40), 10, 12})};
      for (int step = 0; step < 8; ++step) {
        const OutletId x = wires[static_cast<std::size_t>(
            net.noise.number(0, static_cast<std::int64_t>(wires.size()) - 1))];
        switch (net.noise.number(0, 6)) {
          case 0:
            wires.push_back(net.wire(Unary{UnaryOp::hard_swish}, {x}));
            break;
          case 1:
            wires.push_back(net.wire(Binary{BinaryOp::add}, {x, net.conv(x, net.channels(x))}));
            break;
          case 2:
            wires.push_back(net.wire(Concat{1}, {x, net.conv(x, net.noise.number(1, 40), 1)}));
            break;
          case 3:
            wires.push_back(net.conv(x, net.channels(x), 3, {.group = net.channels(x)}));
            break;
          case 4:
            wires.push_back(net.wire(Pool{.kind = PoolKind::max,
                                          .kernel = {3, 3},
                                          .padding = {Padding::Kind::fixed, {1, 1, 1, 1}}},
                                     {x}));
            break;
          default:
            wires.push_back(net.conv(x, net.noise.number(1, 40)));
        }
      }
      wires.erase(wires.begin());
      net.count_after<BlockedConvKernel>(wires);
    }
  }
}

TEST_SUITE("activations") {
  TEST_CASE("hard swish is found however it is written") {
    const auto number = [](Net& n, float value) { return n.constant(Tensor::scalar(value)); };
    const auto gate = [&](Net& n, OutletId x, float shift) {
      const OutletId sum = n.wire(Binary{BinaryOp::add}, {x, number(n, shift)});
      const OutletId low = n.wire(Binary{BinaryOp::max}, {sum, number(n, 0)});
      return n.wire(Binary{BinaryOp::min}, {low, number(n, 6)});
    };
    using Build = std::function<OutletId(Net&, OutletId)>;
    const std::vector<Build> found{
        [&](Net& n, OutletId x) {
          const OutletId product = n.wire(Binary{BinaryOp::mul}, {x, gate(n, x, 3)});
          return n.wire(Binary{BinaryOp::div}, {product, number(n, 6)});
        },
        [&](Net& n, OutletId x) {
          const OutletId sixth =
              n.wire(Binary{BinaryOp::mul}, {gate(n, x, 3), number(n, 1 / 6.0F)});
          return n.wire(Binary{BinaryOp::mul}, {sixth, x});
        },
        [&](Net& n, OutletId x) {
          const OutletId sigmoid =
              n.wire(Activation{ActivationKind::hard_sigmoid, 1 / 6.0, 0.5}, {x});
          return n.wire(Binary{BinaryOp::mul}, {x, sigmoid});
        }};
    for (const Build& build : found) {
      Net net;
      CHECK(net.count_after<UnaryKernel>({build(net, net.input({3, 50}))}) == 1);
      CHECK(net.model.live_nodes() == 2);
    }
    Net other;
    const OutletId x = other.input({3, 50});
    const OutletId product = other.wire(Binary{BinaryOp::mul}, {x, gate(other, x, 2)});
    other.count_after<UnaryKernel>(
        {other.wire(Binary{BinaryOp::div}, {product, number(other, 6)})});
    CHECK(other.live<UnaryKernel>() == 0);
  }

  TEST_CASE("bounds become one clip, of the convolution before them where there is one") {
    const auto bounded = [](Net& n, OutletId x) {
      const OutletId low = n.wire(Binary{BinaryOp::max}, {n.constant(Tensor::scalar(-1.0F)), x});
      return n.wire(Binary{BinaryOp::min}, {low, n.constant(Tensor::scalar(0.5F))});
    };
    Net alone;
    CHECK(alone.count_after<UnaryKernel>({bounded(alone, alone.input({3, 50}))}) == 1);
    Net after;
    CHECK(after.count_after<UnaryKernel>({bounded(after, after.conv(after.input(kImage), 32))}) ==
          0);
    // An upper bound below the lower one: the last one wins.
    Net crossed;
    const OutletId low = crossed.wire(Unary{UnaryOp::relu}, {crossed.input({3, 50})});
    crossed.count_after<UnaryKernel>(
        {crossed.wire(Binary{BinaryOp::min}, {low, crossed.constant(Tensor::scalar(-2.0F))})});
  }
}
