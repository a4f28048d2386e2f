#include <functional>

#include "core/kernel_ops/image_net.h"
#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/blocked_cost.h"
#include "kernel_ops/pool_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/unary.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Convolutions whose input or output, as `layout` says, are planes.
std::size_t of_planes(const Net& net, kernels::Layout BlockedConvKernel::*layout) {
  std::size_t found = 0;
  for (const std::uint32_t id : net.model.order())
    if (const auto* conv = net.model.node(id).op.as<BlockedConvKernel>())
      found += conv->*layout == kernels::Layout::planes;
  return found;
}

/// Conversions to blocks and from them, by an op of their own or by a convolution.
std::size_t conversions(const Net& net) {
  return count_of<BlockChannels>(net.model) + of_planes(net, &BlockedConvKernel::input) +
         count_of<UnblockChannels>(net.model) + of_planes(net, &BlockedConvKernel::output);
}

/// Convolutions on both sides of `between` stay in blocks: one comes to them, one leaves them.
std::size_t conversions_around(const std::function<OutletId(Net&, OutletId)>& between,
                               std::int64_t channels) {
  Net net;
  const OutletId x = net.conv(net.input(kImage), channels);
  net.count_after<BlockChannels>({net.conv(between(net, x), 20)});
  return conversions(net);
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

  TEST_CASE("what fills a block up stays within the range of halves") {
    Noise noise(3);
    const auto halves = [&](const Shape& shape) {
      MutableTensor out(DatumType::f32, shape);
      for (float& x : out.as<float>()) x = static_cast<float>(noise.number(-8, 8)) / 128;
      return cast(std::move(out).freeze(), DatumType::f16);
    };
    const auto number_of = [](float value, const Shape& shape) {
      MutableTensor out(DatumType::f32, shape);
      std::ranges::fill(out.as<float>(), value);
      return cast(std::move(out).freeze(), DatumType::f16);
    };
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f16, Shape{1, 3, 8, 8}));
    Conv conv;
    conv.padding.amounts = Shape(4, 1);
    OutletId y = model.wire_one(
        "first", conv,
        {x, model.constant("w", halves({20, 3, 3, 3})), model.constant("b", number_of(300, {20}))});
    y = model.wire_one("relu", Unary{UnaryOp::relu}, {y});
    y = model.wire_one("down", Binary{BinaryOp::sub},
                       {y, model.constant("bias", number_of(300, {}))});
    y = model.wire_one("square", Binary{BinaryOp::mul}, {y, y});
    model.add_output(
        "y", model.wire_one("second", Conv{}, {y, model.constant("v", halves({24, 20, 1, 1}))}));
    const ValueList inputs{halves({1, 3, 8, 8})};
    for (const bool is_optimised : {false, true}) {
      CAPTURE(is_optimised);
      if (is_optimised) optimise(model);
      const Tensor out = run_model(model, inputs)[0].tensor();
      for (std::int64_t i = 0; i < out.size(); ++i) REQUIRE(std::isfinite(number_at(out, i)));
    }
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
    CHECK(count_of<BlockedConvKernel>(net.model) == 2);
  }

  TEST_CASE("depthwise, grouped and one-dimensional convolutions have blocked kernels") {
    Net net;
    OutletId x = net.conv(net.input({1, 32, 40}), 32, 5, {.strides = {2}});
    x = net.conv(x, 32, 3, {.group = 32});
    x = net.conv(x, 64, 3, {.dilations = {2}, .group = 2});
    CHECK(net.count_after<BlockedConvKernel>({x}) == 3);
    CHECK(conversions(net) == 2);
  }

  TEST_CASE("convolutions whose groups do not fill blocks have blocked kernels") {
    Net net;
    OutletId x = net.conv(net.input({2, 16, 9, 10}), 48, 3);
    x = net.conv(x, 48, 3, {.group = 2});
    x = net.conv(x, 96, 3, {.strides = {2, 2}, .group = 6});
    x = net.conv(x, 40, 1, {.group = 2});
    CHECK(net.count_after<BlockedConvKernel>({x}) == 4);
    CHECK(conversions(net) == 2);
  }

  TEST_CASE("volumes stay in blocks from one convolution to the next") {
    Net net;
    OutletId x = net.conv(net.input({2, 16, 6, 9, 7}), 24, 3, {.strides = {1, 2, 2}});
    x = net.wire(Unary{UnaryOp::relu}, {x});
    x = net.conv(x, 32, 1);
    x = net.conv(x, 20, 2, {.dilations = {1, 1, 2}});
    CHECK(net.count_after<BlockedConvKernel>({x}) == 3);
    CHECK(conversions(net) == 2);
  }

  TEST_CASE("kernels of one tap along an axis of a volume, and volumes of one column") {
    for (const auto& [image, weights] :
         std::vector<std::pair<Shape, Shape>>{{{1, 16, 5, 8, 8}, {32, 16, 3, 1, 1}},
                                              {{1, 16, 5, 8, 8}, {32, 16, 1, 3, 3}},
                                              {{1, 16, 9, 6, 1}, {32, 16, 3, 3, 1}},
                                              {{1, 16, 9, 6, 5}, {32, 16, 3, 3, 1}},
                                              {{1, 16, 9, 1, 1}, {32, 16, 3, 1, 1}}}) {
      Net net;
      CAPTURE(weights);
      const OutletId x = net.open_input(image);
      CHECK(net.count_after<BlockedConvKernel>(
                {net.wire(Conv{}, {x, net.constant(net.small(weights))})}) == 1);
    }
  }

  TEST_CASE("a single convolution gains from blocks where taps read each pixel often enough") {
    const auto single = [](std::int64_t in, std::int64_t out, std::int64_t kernel) {
      Net net;
      return net.count_after<BlockedConvKernel>(
          {net.conv(net.input({1, in, 17, 16}), out, kernel, {.strides = {2, 2}})});
    };
    CHECK(single(3, 8, 7) == 1);
    CHECK(single(3, 24, 2) == 1);
    CHECK(single(16, 16, 3) == 1);
    CHECK(single(3, 8, 3) == 0);
    CHECK(single(16, 8, 3) == 0);
    CHECK(single(12, 16, 3) == 0);
    CHECK(single(16, 16, 1) == 0);
    const auto pointwise = [](std::int64_t in, std::int64_t out, std::int64_t size) {
      Net net;
      return net.count_after<BlockedConvKernel>({net.conv(net.input({1, in, size, size}), out, 1)});
    };
    CHECK(pointwise(64, 96, 7) == 1);  // a vector would have one of 49 pixels
    CHECK(pointwise(64, 96, 8) == 0);
    CHECK(pointwise(64, 96, 13) == 0);
    CHECK(pointwise(32, 40, 7) == 0);
    const std::size_t has_kernel = active_isa() != Isa::baseline;
    const auto depthwise = [](std::int64_t kernel, const Shape& image = kImage) {
      Net net;
      return net.count_after<BlockedConvKernel>(
          {net.conv(net.input(image), image[1], kernel, {.group = image[1]})});
    };
    CHECK(depthwise(7) == 1);
    CHECK(depthwise(5) == 0);  // planes have a kernel that reads each row once for several
    CHECK(depthwise(3) == 0);
    CHECK(depthwise(3, {1, 16, 9, 8}) == has_kernel);  // rows of half a vector
    CHECK(depthwise(3, {1, 15, 9, 8}) == 0);
    const auto of_groups = [](std::int64_t channels, std::int64_t kernel) {
      Net net;
      return net.count_after<BlockedConvKernel>(
          {net.conv(net.input({1, 24, 9, 9}), 24, kernel, {.group = 24 / channels})});
    };
    for (const std::int64_t channels : {2, 4, 8}) CHECK(of_groups(channels, 3) == has_kernel);
    CHECK(of_groups(12, 3) == 1);
    CHECK(of_groups(6, 3) == 0);  // most products of a panel of outputs would be by zeros
    CHECK(of_groups(8, 1) == 0);
    CHECK(of_groups(12, 1) == 0);
  }

  TEST_CASE("a size that images of a usual size do not have is a size like any other") {
    const Dim n = Dim::symbol("N");
    for (const Dim& width :
         {floor_div(Dim::symbol("A"), 16 * n - 4096), n * n * n * n * n * n * n * n}) {
      TypedModel model;
      const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{1, 16, width, 8}));
      const OutletId w =
          model.constant("w", MutableTensor::zeros(DatumType::f32, {16, 16, 3, 3}).freeze());
      model.add_output("y", model.wire_one("conv", Conv{}, {x, w}));
      CHECK_NOTHROW(optimise(model));
    }
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
             [](Net& n) {  // volumes in groups have none, nor those of few channels
               return n.conv(n.conv(n.input({1, 16, 5, 5, 5}), 16, 3, {.group = 2}), 4);
             }}) {
      Net net;
      CHECK(net.count_after<BlockedConvKernel>({build(net)}) == 0);
    }
  }

  TEST_CASE("what an image leads to is found once, in however many ways it leads there") {
    constexpr std::int64_t ways = 1000;  // to each of four: a search that took all would not end
    Net net;
    OutletId x = net.conv(net.input({1, 16, 1, 9}), 16, 1);
    for (int i = 0; i < 4; ++i) {
      x = net.wire(Concat{3}, OutletIds(std::size_t{ways}, x));
      x = net.wire(Pool{.kind = PoolKind::max, .kernel = {1, ways}, .strides = {1, ways}}, {x});
    }
    CHECK(net.count_after<BlockedConvKernel>({x}) == 0);
  }

  TEST_CASE("kernels of 3 x 3 and 2 x 2 take Winograd's way where it saves products") {
    const auto method = [](std::int64_t size, std::int64_t channels, std::int64_t taps = 3) {
      Net net;
      const OutletId x = net.conv(net.input({1, channels, size, size}), channels, taps);
      net.count_after<BlockedConvKernel>({net.conv(x, channels, taps)});
      for (const std::uint32_t id : net.model.order())
        if (const auto* conv = net.model.node(id).op.as<BlockedConvKernel>()) return conv->method;
      return kernels::BlockedMethod::depthwise;
    };
    CHECK(method(28, 64) == kernels::BlockedMethod::winograd4);
    CHECK(method(7, 64) == kernels::BlockedMethod::winograd2);
    CHECK(method(3, 64) == kernels::BlockedMethod::direct);
    CHECK(method(28, 64, 2) == kernels::BlockedMethod::winograd2);
    CHECK(method(3, 64, 2) == kernels::BlockedMethod::direct);
  }

  TEST_CASE("many weights for few pixels stay as few as they are") {
    CHECK(cheapest(blocked_costs({7, 7, 512, 512})) == kernels::BlockedMethod::direct);
    CHECK(cheapest(blocked_costs({14, 14, 512, 512})) == kernels::BlockedMethod::winograd2);
    CHECK(cheapest(blocked_costs({7, 7, 128, 128})) == kernels::BlockedMethod::winograd2);
  }

  TEST_CASE("pools of short rows are made in blocks, and no others") {
    const auto blocked = [](const Shape& image, Pool pool) {
      Net net;
      return net.count_after<BlockChannels>({net.wire(pool, {net.input(image)})}) == 1;
    };
    const Pool greatest{.kind = PoolKind::max, .kernel = {3, 3}};
    const Pool mean{.kind = PoolKind::average,
                    .kernel = {5, 5},
                    .strides = {2, 1},
                    .padding = {Padding::Kind::fixed, {2, 2, 2, 2}}};
    CHECK(blocked({2, 20, 40, 28}, greatest));
    CHECK(!blocked({2, 20, 40, 29}, greatest));
    CHECK(!blocked({2, 15, 9, 9}, greatest));
    CHECK(blocked({1, 37, 9, 14}, mean));
    CHECK(!blocked({1, 37, 9, 15}, mean));
    CHECK(blocked({3, 16, 17}, {.kind = PoolKind::average, .kernel = {4}}));
    CHECK(!blocked({1, 16, 9, 9, 9}, {.kind = PoolKind::max, .kernel = {2, 2, 2}}));
  }

  TEST_CASE("an image that others read too is converted for them") {
    Net net;
    const OutletId x = net.conv(net.input(kImage), 32);
    const OutletId y = net.conv(net.wire(Unary{UnaryOp::relu}, {x}), 32);
    CHECK(net.count_after<BlockChannels>({x, y, net.wire(Softmax{.axes = {1}}, {y})}) == 0);
    CHECK(of_planes(net, &BlockedConvKernel::input) == 1);  // the first one's only
  }

  TEST_CASE("Winograd's way reads planes itself, unless others read the blocks") {
    const Shape image{1, 20, 28, 28};
    Net alone;
    CHECK(alone.count_after<BlockChannels>({alone.conv(alone.input(image), 32)}) == 0);
    CHECK(count_of<BlockedConvKernel>(alone.model) == 1);
    Net read_twice;
    const OutletId x = read_twice.input(image);
    CHECK(read_twice.count_after<BlockChannels>(
              {read_twice.conv(x, 32), read_twice.conv(x, 48, 5)}) == 1);
    CHECK(count_of<BlockedConvKernel>(read_twice.model) == 2);
    Net direct;
    CHECK(direct.count_after<BlockChannels>({direct.conv(direct.input(image), 32, 5)}) == 1);
  }

  TEST_CASE("the last convolution writes planes itself, unless others read its blocks") {
    Net alone;
    const OutletId y = alone.wire(Unary{UnaryOp::tanh}, {alone.conv(alone.input(kImage), 21)});
    CHECK(alone.count_after<UnblockChannels>({y}) == 0);
    Net read_twice;
    const OutletId x = read_twice.conv(read_twice.input(kImage), 21);
    CHECK(read_twice.count_after<UnblockChannels>({x, read_twice.conv(x, 8)}) == 1);
    Net added;
    const OutletId sum = added.conv(added.input(kImage), 32);
    CHECK(added.count_after<UnblockChannels>(
              {added.wire(Binary{BinaryOp::add}, {sum, added.conv(sum, 32)})}) == 1);
    Net depthwise;
    CHECK(depthwise.count_after<UnblockChannels>({depthwise.conv(
              depthwise.conv(depthwise.input(kImage), 32), 32, 3, {.group = 32})}) == 1);
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
