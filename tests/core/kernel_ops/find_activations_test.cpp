#include <functional>

#include "core/kernel_ops/image_net.h"
#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/fused_elementwise.h"
#include "kernel_ops/unary_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/unary.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"

using namespace strata;
using namespace strata::tests;

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
    CHECK(count_of<UnaryKernel>(other.model) == 0);
  }

  TEST_CASE("a number of more axes than an operand of unknown rank may have makes it longer") {
    const auto raised = [](Net& n, float value) {
      return n.constant(Tensor::of<float>({1, 1, 1}, {value}));
    };
    const auto binary = [](Net& n, BinaryOp op, OutletId a, OutletId b) {
      return n.wire(Binary{op}, {a, b});
    };
    using Build = std::function<OutletId(Net&, OutletId)>;
    const std::vector<Build> builds{
        [&](Net& n, OutletId x) { return binary(n, BinaryOp::max, x, raised(n, 1)); },
        [&](Net& n, OutletId x) { return binary(n, BinaryOp::min, raised(n, 1), x); },
        [&](Net& n, OutletId x) {  // hard swish
          const OutletId sum = binary(n, BinaryOp::add, x, n.constant(Tensor::scalar(3.0F)));
          const OutletId low = binary(n, BinaryOp::max, sum, raised(n, 0));
          const OutletId gate = binary(n, BinaryOp::min, low, n.constant(Tensor::scalar(6.0F)));
          return binary(n, BinaryOp::div, binary(n, BinaryOp::mul, x, gate),
                        n.constant(Tensor::scalar(6.0F)));
        },
        [&](Net& n, OutletId x) {  // gelu
          const OutletId part = binary(n, BinaryOp::div, x, raised(n, 1.41421356F));
          const OutletId sum = binary(n, BinaryOp::add, n.wire(Unary{UnaryOp::erf}, {part}),
                                      n.constant(Tensor::scalar(1.0F)));
          const OutletId product = binary(n, BinaryOp::mul, x, sum);
          return binary(n, BinaryOp::mul, product, n.constant(Tensor::scalar(0.5F)));
        }};
    for (const Build& build : builds) {
      Net net;
      const OutletId x = net.model.add_source("x", Fact::tensor(DatumType::f32, ShapeFact::open()));
      net.model.add_output("y", build(net, x));
      const ValueList input{Tensor::of<float>({2, 2}, {-1, 0.5F, 2, 4})};
      const Value expected = run_model(net.model, input)[0];
      CHECK(expected.tensor().shape() == Shape{1, 2, 2});
      optimise(net.model);
      check_close(run_model(net.model, input)[0], expected);
    }
  }

  TEST_CASE("a number times its sigmoid is SiLU, of the convolution before it where there is one") {
    const auto silu = [](Net& n, OutletId x, bool is_left) {
      const OutletId gate = n.wire(Unary{UnaryOp::sigmoid}, {x});
      return n.wire(Binary{BinaryOp::mul}, is_left ? OutletIds{gate, x} : OutletIds{x, gate});
    };
    for (const bool is_left : {false, true}) {
      Net alone;
      CHECK(alone.count_after<UnaryKernel>({silu(alone, alone.input({3, 50}), is_left)}) == 1);
      CHECK(alone.model.live_nodes() == 2);
      for (const std::int64_t group : {1, 32}) {
        Net after;
        const OutletId x = after.conv(after.input({1, 32, 9, 11}), 32, 3, {.group = group});
        CHECK(after.count_after<UnaryKernel>({silu(after, x, is_left)}) == 0);
        CHECK(count_of<FusedElementwise>(after.model) == 0);
      }
    }
    Net shared;  // where something else reads the sigmoid, it is there anyway
    const OutletId x = shared.input({3, 50});
    const OutletId gate = shared.wire(Unary{UnaryOp::sigmoid}, {x});
    shared.count_after<UnaryKernel>({gate, shared.wire(Binary{BinaryOp::mul}, {x, gate})});
    CHECK(count_of<BinaryKernel>(shared.model) == 1);
    Net other;
    const OutletId a = other.input({3, 50}), b = other.wire(Unary{UnaryOp::neg}, {a});
    other.count_after<UnaryKernel>(
        {b, other.wire(Binary{BinaryOp::mul}, {b, other.wire(Unary{UnaryOp::sigmoid}, {a})})});
    CHECK(count_of<FusedElementwise>(other.model) == 1);
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
