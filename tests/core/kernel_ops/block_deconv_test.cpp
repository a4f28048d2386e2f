#include "image_net.h"
#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/blocked_cost.h"
#include "kernel_ops/deconv_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/unary.h"

using namespace strata;
using namespace strata::tests;

namespace {

using std::int64_t;

enum class Bias { none, constant, computed };

/// Deconv to `out` channels by a kernel of this size.
OutletId deconv(Net& net, OutletId x, int64_t out, const Shape& kernel, const Deconv& op,
                Bias bias = Bias::constant) {
  Shape weights{net.channels(x), out / op.group};
  weights.insert(weights.end(), kernel.begin(), kernel.end());
  OutletIds inputs{x, net.constant(net.small(weights))};
  if (bias == Bias::constant) inputs.push_back(net.constant(net.small({out})));
  if (bias == Bias::computed) inputs.push_back(net.input({out}));
  return net.wire(op, inputs);
}

/// The first DeconvKernel.
const DeconvKernel* kernel_in(const TypedModel& model) {
  for (const std::uint32_t id : model.order())
    if (const auto* kernel = model.node(id).op.as<DeconvKernel>()) return kernel;
  return nullptr;
}

std::optional<kernels::BlockedMethod> method_in(const TypedModel& model) {
  const DeconvKernel* kernel = kernel_in(model);
  return kernel ? std::optional(kernel->method) : std::nullopt;
}

bool goes_winograds_way(const Net& net) {
  const auto method = method_in(net.model);
  return method && *method != kernels::BlockedMethod::direct;
}

Padding cut(const Shape& amounts) { return {Padding::Kind::fixed, amounts}; }

struct Geometry {
  Shape kernel;
  Deconv op;
};

const Geometry kFitting[] = {
    {{4, 4}, {.strides = {2, 2}, .padding = cut({1, 1, 1, 1})}},
    {{4, 4}, {.strides = {2, 2}}},
    {{4, 4}, {.strides = {2, 2}, .padding = cut({0, 3, 2, 1}), .output_padding = {1, 0}}},
    {{4, 4}, {.strides = {2, 2}, .padding = {Padding::Kind::same_upper, {}}}},
    {{4, 4}, {.strides = {2, 2}, .padding = {Padding::Kind::same_lower, {}}}},
    {{4, 4}, {.strides = {2, 2}, .output_shape = Shape{23, 30}}},
    {{3, 4}, {.strides = {2, 2}, .padding = cut({1, 1, 1, 1}), .output_padding = {1, 0}}},
    {{5, 5}, {.strides = {2, 2}, .padding = cut({2, 2, 2, 2}), .output_padding = {1, 1}}},
    {{6, 6}, {.strides = {2, 2}, .padding = cut({2, 1, 3, 0})}},
    {{6, 6}, {.strides = {3, 3}, .padding = cut({1, 2, 2, 1})}},
    {{8, 8}, {.strides = {4, 4}, .padding = cut({2, 2, 2, 2})}},
    {{4, 2}, {.strides = {2, 1}, .padding = cut({1, 0, 1, 1})}},
    {{2, 6}, {.strides = {1, 3}, .padding = cut({0, 4, 0, 0})}},
};

}  // namespace

TEST_SUITE("transposed convolutions by Winograd's way") {
  TEST_CASE("give what the op gives, on every instruction set") {
    for (const Isa isa : supported_isas()) {
      const IsaLimit limit(isa);
      for (const Geometry& g : kFitting)
        for (const Bias bias : {Bias::none, Bias::constant}) {
          CAPTURE(g.kernel[0]);
          CAPTURE(g.kernel[1]);
          Net net;
          net.count_after<DeconvKernel>(
              {deconv(net, net.input({2, 32, 19, 25}), 32, g.kernel, g.op, bias)});
          CHECK(goes_winograds_way(net));
        }
    }
  }

  TEST_CASE("leave a part of the last block empty where that still pays") {
    Net net;
    const Deconv op{.strides = {2, 2}, .padding = cut({1, 1, 1, 1})};
    CHECK(net.count_after<DeconvKernel>(
              {deconv(net, net.input({1, 50, 20, 20}), 27, {4, 4}, op)}) == 1);
    CHECK(goes_winograds_way(net));
  }

  TEST_CASE("read and write planes themselves, and take activations in") {
    const Deconv op{.strides = {2, 2}, .padding = cut({1, 1, 1, 1})};
    for (const TypedOp& activation : {TypedOp(Unary{UnaryOp::relu}), TypedOp(Unary{UnaryOp::tanh}),
                                      TypedOp(Activation{ActivationKind::leaky_relu, 0.25F})}) {
      Net net;
      const OutletId y = deconv(net, net.input({1, 32, 19, 22}), 27, {4, 4}, op);
      CHECK(net.count_after<UnblockChannels>({net.wire(activation, {y})}) == 0);
      CHECK(count_of<BlockChannels>(net.model) == 0);
      CHECK(goes_winograds_way(net));
    }
  }

  TEST_CASE("a transposed convolution between convolutions reads and writes blocks") {
    const Deconv op{.strides = {2, 2}, .padding = cut({1, 1, 1, 1})};
    Net net;
    const OutletId wide = deconv(net, net.conv(net.input(kImage), 32), 32, {4, 4}, op);
    const OutletId y = net.conv(net.wire(Unary{UnaryOp::relu}, {wide}), 32);
    CHECK(net.count_after<BlockChannels>({y}) == 0);
    CHECK(count_of<UnblockChannels>(net.model) == 0);
    CHECK(count_of<BlockedConvKernel>(net.model) == 2);
    const DeconvKernel* kernel = kernel_in(net.model);
    REQUIRE(kernel);
    CHECK(kernel->input == kernels::Layout::blocks);
    CHECK(kernel->output == kernels::Layout::blocks);
  }

  TEST_CASE("are none for other windows, groups, channels, sizes or weights") {
    const Shape image{1, 32, 19, 22};
    const Deconv twice{.strides = {2, 2}};
    for (const auto build : std::initializer_list<OutletId (*)(Net&, const Shape&, const Deconv&)>{
             [](Net&n, const Shape&x, const Deconv&) {
               return deconv(n, n.input(x), 32, {4, 4}, {.strides = {2, 2}, .group = 2});
             },
             [](Net&n, const Shape&x, const Deconv&) {
               return deconv(n, n.input(x), 32, {4, 4}, {.strides = {2, 2}, .dilations = {1, 2}});
             },
             [](Net&n, const Shape&x, const Deconv&) {
               return deconv(n, n.input(x), 32, {10, 10}, {.strides = {5, 5}});
             },
             [](Net&n, const Shape&x, const Deconv&op) {
               return deconv(n, n.input(x), 32, {2, 2}, op);
             },
             [](Net&n, const Shape&x, const Deconv&op) {
               return deconv(n, n.input(x), 32, {8, 8}, op);
             },
             [](Net&n, const Shape&x, const Deconv&op) {
               return deconv(n, n.input(x), 32, {4, 6}, op);
             },
             [](Net&n, const Shape&x, const Deconv&op) {
               return deconv(n, n.input(x), 15, {4, 4}, op);
             },
             [](Net&n, const Shape&x, const Deconv&op) {
               return deconv(n, n.input(x), 32, {4, 4}, op, Bias::computed);
             },
             [](Net&n, const Shape&, const Deconv&op) {
               return deconv(n, n.input({1, 15, 19, 22}), 32, {4, 4}, op);
             },
             [](Net&n, const Shape&, const Deconv&) {
               return deconv(n, n.input({1, 32, 40}), 32, {4}, {.strides = {2}});
             }}) {
      Net net;
      net.count_after<DeconvKernel>({build(net, image, twice)});
      CHECK(method_in(net.model) == kernels::BlockedMethod::direct);
    }
  }

  TEST_CASE("are none where they are not allowed") {
    const Deconv op{.strides = {2, 2}};
    Net net;
    net.model.add_output("y", deconv(net, net.input({1, 32, 19, 22}), 32, {4, 4}, op));
    optimise(net.model, Target{.winograd = Winograd::never});
    CHECK(method_in(net.model) == kernels::BlockedMethod::direct);
  }

  TEST_CASE("are chosen by what they cost") {
    const auto method = [](int64_t size, int64_t channels, int64_t kernel) {
      Net net;
      const Deconv op{.strides = {2, 2}};
      net.model.add_output(
          "y", deconv(net, net.input({1, channels, size, size}), channels, {kernel, kernel}, op));
      optimise(net.model);
      return method_in(net.model);
    };
    CHECK(method(64, 64, 4) == kernels::BlockedMethod::winograd4);
    CHECK(method(16, 64, 4) == kernels::BlockedMethod::winograd2);
    CHECK(method(4, 256, 4) == kernels::BlockedMethod::direct);  // many weights for few pixels
    CHECK(method(64, 64, 3) == kernels::BlockedMethod::winograd4);
    CHECK(method(20, 64, 3) ==
          kernels::BlockedMethod::direct);  // a phase of one tap, and one of four
  }
}
