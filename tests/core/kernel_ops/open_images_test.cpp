#include "image_net.h"
#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/deconv_kernel.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/unary.h"

using namespace strata;
using namespace strata::tests;

namespace {

using kernels::BlockedMethod;

template <class Kernel>
std::vector<BlockedMethod> methods_in(const TypedModel& model) {
  std::vector<BlockedMethod> out;
  for (const std::uint32_t id : model.order())
    if (const auto* kernel = model.node(id).op.as<Kernel>()) out.push_back(kernel->method);
  return out;
}

OutletId doubled(Net& net, OutletId x) {
  const std::vector<float> scales{1, 1, 2, 2};
  return net.wire(Resize{.mode = ResizeMode::nearest,
                         .coordinates = ResizeCoordinates::asymmetric,
                         .nearest = NearestMode::floor},
                  {x, net.constant(Tensor::vector<float>(scales))});
}

/// conv(relu(wide + doubled(conv(wide)))), where wide is half as large as x, rounded up.
OutletId pyramid(Net& net, OutletId x) {
  const Conv halving{.strides = {2, 2}};
  const OutletId wide = net.conv(x, 32, 3, halving);
  const OutletId narrow = net.conv(wide, 32, 3, halving);
  const OutletId sum = net.wire(Binary{BinaryOp::add}, {wide, doubled(net, narrow)});
  return net.conv(net.wire(Unary{UnaryOp::relu}, {sum}), 32);
}

}  // namespace

TEST_SUITE("images of open sizes") {
  TEST_CASE("are convolved by Winograd's way, of whatever sizes they turn out to be") {
    for (const Shape& shape : {Shape{1, 32, 64, 40}, Shape{2, 32, 19, 22}, Shape{1, 32, 2, 3}}) {
      Net net;
      const OutletId inner = net.conv(net.open_input(shape), 32);
      CHECK(net.count_after<BlockedConvKernel>({net.conv(inner, 24)}) == 2);
      CHECK((methods_in<BlockedConvKernel>(net.model) == std::vector(2, BlockedMethod::winograd4)));
    }
  }

  TEST_CASE("stay in blocks for a last convolution of one tap, behind bounds that become a clip") {
    Net net;
    const auto number = [&](float value) { return net.constant(Tensor::scalar(value)); };
    OutletId y = net.conv(net.open_input({1, 32, 9, 7}), 32);
    y = net.wire(Binary{BinaryOp::max}, {y, number(0)});
    y = net.wire(Binary{BinaryOp::min}, {y, number(6)});
    CHECK(net.count_after<BlockedConvKernel>({net.conv(y, 48, 1)}) == 2);
  }

  TEST_CASE("are said to be counted as usual ones where the dump tells of the choice") {
    Net net;
    net.model.add_output("y", net.conv(net.open_input({1, 32, 64, 40}), 32));
    optimise(net.model);
    for (const std::uint32_t id : net.model.order())
      if (const TypedNode& node = net.model.node(id); node.op.as<BlockedConvKernel>()) {
        const Fact* in[] = {&net.model.fact(node.inputs[0])};
        const Fact* out[] = {&node.outputs[0].fact};
        CHECK(node.op.explain(Facts(in), Facts(out)).find(", for images of 256 by 256") !=
              std::string::npos);
      }
  }

  TEST_CASE("are convolved backward by Winograd's way as well") {
    for (const Shape& shape : {Shape{1, 32, 40, 31}, Shape{2, 32, 3, 2}}) {
      Net net;
      const OutletId x = net.open_input(shape);
      const Deconv op{.strides = {2, 2}};
      const OutletId y = net.wire(op, {x, net.constant(net.small({32, 32, 4, 4}))});
      CHECK(net.count_after<DeconvKernel>({y}) == 1);
      CHECK(methods_in<DeconvKernel>(net.model)[0] != BlockedMethod::direct);
    }
  }

  TEST_CASE("are added to what was halved and doubled, in planned memory from the first run on") {
    for (const std::int64_t height : {32, 7, 1}) {  // 1: the doubled one broadcasts
      Net net;
      const OutletId y = pyramid(net, net.open_input({1, 16, height, 24}));
      CHECK(net.count_after<Resize>({y}) == 0);
      Session session(Plan::build(net.model));
      (void)session.run(net.inputs);
      CHECK(session.arena_bytes() > 0);
    }
  }

  TEST_CASE("are refused where they do not fit what was halved and doubled") {
    Net net;
    net.model.add_output("y", pyramid(net, net.open_input({1, 16, 10, 24})));
    optimise(net.model);
    CHECK_THROWS_WITH_AS(run_model(net.model, net.inputs), doctest::Contains("do not broadcast"),
                         Error);
  }
}
