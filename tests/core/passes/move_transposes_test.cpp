#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/transform.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// A net whose images have their channels last but for its convolutions, as TensorFlow's have.
class ChannelsLast {
 public:
  explicit ChannelsLast(Shape image = {2, 6, 5, 4}) {
    x_ = model_.add_source("x", Fact::tensor(DatumType::f32, image));
    given_.emplace_back(uniform_floats(image));
  }
  OutletId x() const { return x_; }
  const Fact& fact(OutletId wire) const { return model_.fact(wire); }

  OutletId constant(Tensor value) { return model_.constant(name("c"), std::move(value)); }
  OutletId integers(const std::vector<std::int64_t>& values) {
    return constant(Tensor::vector<std::int64_t>(values));
  }
  OutletId number(float value) { return constant(Tensor::scalar(value)); }
  OutletIds wires(TypedOp op, const OutletIds& inputs) {
    return model_.wire(name("n"), std::move(op), inputs);
  }
  OutletId wire(TypedOp op, const OutletIds& inputs) { return wires(std::move(op), inputs)[0]; }

  /// Same padding: the image keeps its size.
  OutletId conv(OutletId image, std::int64_t channels) {
    const std::size_t axes = fact(image).shape.rank() - 2;
    Shape weights(axes + 2, 3);
    weights[0] = channels, weights[1] = *fact(image).shape[axes + 1].constant();
    const Conv op{.padding = {Padding::Kind::fixed, Shape(2 * axes, 1)}};
    return windowed(op, {image, constant(uniform_floats(weights))});
  }
  /// An op for channels that come first, between two Transposes.
  OutletId windowed(TypedOp op, OutletIds inputs) {
    const std::size_t rank = fact(inputs[0]).shape.rank();
    std::vector<std::int64_t> to_first{0, static_cast<std::int64_t>(rank) - 1}, to_last{0};
    for (std::size_t axis = 1; axis + 1 < rank; ++axis) {
      to_first.push_back(static_cast<std::int64_t>(axis));
      to_last.push_back(static_cast<std::int64_t>(axis) + 1);
    }
    to_last.push_back(1);
    inputs[0] = wire(Transpose{to_first}, {inputs[0]});
    return wire(Transpose{to_last}, {wire(std::move(op), inputs)});
  }

  void give(OutletId wire) { model_.add_output(name("y"), wire); }
  /// Declutters and checks that the answers stay. Returns the number of Transposes left.
  std::size_t transposes_left() {
    const ValueList expected = run_model(model_, given_);
    model_.remove_dead_nodes();
    const std::size_t others = other_nodes();
    declutter(model_);
    model_.verify();
    CHECK(other_nodes() <= others);
    check_all_close(run_model(model_, given_), expected, 1e-5, 1e-5);
    return count_of_op(model_, "Transpose");
  }

 private:
  /// Neither Transposes nor constants: what computes.
  std::size_t other_nodes() const {
    std::size_t count = 0;
    for (const TypedNode& node : model_.nodes())
      count += !node.erased && !node.op.as<Transpose>() && node.op.name() != "Const";
    return count;
  }
  std::string name(std::string_view kind) { return cat(kind, names_++); }

  TypedModel model_;
  OutletId x_;
  ValueList given_;
  int names_ = 0;
};

/// x * min(max(x + 3, 0), 6) / 6
OutletId hard_swish(ChannelsLast& net, OutletId x) {
  OutletId y = net.wire(Binary{BinaryOp::add}, {x, net.number(3)});
  y = net.wire(Binary{BinaryOp::max}, {y, net.number(0)});
  y = net.wire(Binary{BinaryOp::min}, {y, net.number(6)});
  y = net.wire(Binary{BinaryOp::mul}, {y, net.number(0.1666666f)});
  return net.wire(Binary{BinaryOp::mul}, {x, y});
}

/// What is between two convolutions; it may make anything of the image of 4 channels.
template <class Between>
std::size_t left_between_convs(const Between& between, Shape image = {2, 6, 5, 4}) {
  ChannelsLast net(std::move(image));
  net.give(net.conv(between(net, net.conv(net.x(), 4)), 3));
  return net.transposes_left();
}

}  // namespace

TEST_SUITE("move_transposes") {
  TEST_CASE("no Transpose is left around functions between convolutions, or their operands of fewer axes") {
    CHECK(left_between_convs(hard_swish) == 2);
    CHECK(left_between_convs(hard_swish, {2, 9, 4}) == 2);
    CHECK(left_between_convs(hard_swish, {1, 3, 4, 5, 4}) == 2);
    CHECK(left_between_convs([](ChannelsLast& net, OutletId x) {
            x = net.wire(Binary{BinaryOp::mul}, {x, net.constant(uniform_floats({4}))});
            x = net.wire(Binary{BinaryOp::add}, {net.constant(uniform_floats({5, 4})), x});
            const OutletId positive = net.wire(Binary{BinaryOp::less}, {net.number(0), x});
            x = net.wire(Select{}, {positive, x, net.constant(uniform_floats({1, 1, 1, 4}))});
            x = net.wire(Cast{DatumType::f64}, {x});
            return net.wire(Cast{DatumType::f32}, {x});
          }) == 2);
  }

  TEST_CASE("no Transpose is left between convolutions with residuals and gates") {
    CHECK(
        left_between_convs([](ChannelsLast& net, OutletId x) {
          const OutletId y = net.wire(Binary{BinaryOp::add}, {x, net.conv(hard_swish(net, x), 4)});
          const OutletId mean = net.wire(Reduce{Reduction::mean}, {y, net.integers({1, -2})});
          const OutletId gate = net.wire(Unary{UnaryOp::sigmoid}, {net.conv(mean, 4)});
          return net.wire(Binary{BinaryOp::mul}, {y, gate});
        }) == 2);
  }

  TEST_CASE("no Transpose is left between convolutions of rows that become planes") {
    ChannelsLast net({2, 6, 4});
    const auto conv = [&](OutletId x) {
      const std::vector<std::int64_t> to_first{0, 3, 1, 2}, to_last{0, 2, 1};
      const OutletId plane = net.wire(Unsqueeze{}, {x, net.integers({1})});
      const OutletId w = net.constant(uniform_floats({4, 4, 1, 2}));
      const OutletId y = net.wire(Conv{}, {net.wire(Transpose{to_first}, {plane}), w});
      return net.wire(Transpose{to_last}, {net.wire(Squeeze{}, {y, net.integers({2})})});
    };
    OutletId x = net.x();
    for (int i = 0; i < 3; ++i) {
      const OutletId padded = net.wire(Pad{}, {x, net.integers({0, 1, 0, 0, 0, 0})});
      const OutletId y = net.wire(Unary{UnaryOp::tanh}, {conv(padded)});
      x = net.wire(Binary{BinaryOp::add},
                   {x, conv(net.wire(Pad{}, {y, net.integers({0, 0, 0, 0, 1, 0})}))});
    }
    net.give(x);
    CHECK(net.transposes_left() == 2);
  }

  TEST_CASE("another permutation between convolutions is one Transpose") {
    const auto left = [](const std::vector<std::int64_t>& perm) {
      return left_between_convs(
          [&](ChannelsLast& net, OutletId x) {
            x = net.wire(Unary{UnaryOp::relu}, {x});
            return net.wire(Binary{BinaryOp::max}, {x, net.wire(Transpose{perm}, {x})});
          },
          {2, 4, 4, 4});
    };
    CHECK(left({0, 2, 1, 3}) == 3);
    CHECK(left({0, 3, 1, 2}) == 3);
    CHECK(left({0, 2, 3, 1}) == 3);
  }

  TEST_CASE("ops between convolutions name their axes in the new order") {
    CHECK(left_between_convs([](ChannelsLast& net, OutletId x) {
            const OutletIds parts = net.wires(Split{-1, 2}, {x});
            x = net.wire(Concat{3}, {parts[1], x, parts[0]});
            x = net.wire(Pad{PadMode::edge}, {x, net.integers({0, 1, 2, 0, 0, 0, 1, 0})});
            x = net.wire(Slice{}, {x, net.integers({1, -5}), net.integers({4, 9}),
                                   net.integers({2, -1}), net.integers({1, 2})});
            return x;
          }) == 2);
    CHECK(left_between_convs([](ChannelsLast& net, OutletId x) {
            x = net.wire(Pad{}, {x, net.integers({2, 1}), net.number(3), net.integers({-2})});
            const std::vector<float> scales{1, 2, 2, 1};
            x = net.wire(Resize{.mode = ResizeMode::linear},
                         {x, net.constant(Tensor::vector<float>(scales))});
            return net.wire(Resize{.axes = Shape{2, 1}}, {x, net.integers({5, 3})});
          }) == 2);
    CHECK(left_between_convs([](ChannelsLast& net, OutletId x) {
            const std::vector<float> scales{0.5f, 0.25f, 0.125f, 1};
            const OutletId by_channel = net.constant(Tensor::vector<float>(scales));
            x = net.wire(Quantize{.to = DatumType::i8, .axis = 3}, {x, by_channel});
            x = net.wire(Dequantize{.axis = -1}, {x, by_channel});
            x = net.wire(Quantize{.to = DatumType::u8, .axis = 7}, {x, net.number(0.5f)});
            return net.wire(Dequantize{.axis = 7}, {x, net.number(0.5f)});
          }) == 2);
  }

  TEST_CASE("a reduction that drops axes hands on what is in order") {
    const auto left = [](const std::vector<std::int64_t>& axes) {
      ChannelsLast net;
      const OutletId y = net.wire(Unary{UnaryOp::relu}, {net.conv(net.x(), 4)});
      net.give(net.wire(Reduce{Reduction::max, false}, {y, net.integers(axes)}));
      return net.transposes_left();
    };
    CHECK(left({1, 2}) == 1);  // that of x
    CHECK(left({0, 1, 2}) == 1);
    CHECK(left({1}) == 2);
    CHECK(left({3}) == 2);  // rows of channels are what kernels are for
  }

  TEST_CASE("all readers that need the old order share one Transpose") {
    ChannelsLast net;
    const OutletId y = hard_swish(net, net.conv(net.x(), 4));
    net.give(y);
    net.give(net.wire(Softmax{}, {y}));
    net.give(net.conv(y, 3));
    net.give(net.windowed(Pool{.kernel = {2, 2}}, {y}));
    CHECK(net.transposes_left() == 4);  // of x, of y, and of the two last outputs
  }

  TEST_CASE("nothing moves if as many Transposes would be left") {
    CHECK(left_between_convs([](ChannelsLast& net, OutletId x) {
            return net.wire(Softmax{}, {hard_swish(net, x)});
          }) == 4);
    ChannelsLast net;
    OutletId y = net.wire(Transpose{{0, 3, 1, 2}}, {net.x()});
    y = net.wire(Transpose{{0, 2, 3, 1}}, {net.wire(Unary{UnaryOp::exp}, {y})});
    net.give(y);
    CHECK(net.transposes_left() == 2);  // no convolution: where products are, kernels take them in
  }

  TEST_CASE("random nets give the same with fewer Transposes") {
    std::size_t left = 0, before = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      const auto below = [&](std::size_t n) { return random() % n; };
      // All axes but the first are of one size, so that permuted images go with each other.
      ChannelsLast net(below(2) != 0 ? Shape{1, 4, 4, 4} : Shape{2, 4, 4});
      const std::size_t rank = net.fact(net.x()).shape.rank();
      std::vector<OutletId> images{net.x()};
      const auto any = [&] { return images[below(images.size())]; };
      for (int i = 0; i < 12; ++i) {
        const OutletId x = any();
        switch (below(8)) {
          case 0:
          case 1:
            images.push_back(net.conv(x, 4));
            before += 2;
            break;
          case 2:
            images.push_back(net.wire(Unary{UnaryOp::relu}, {x}));
            break;
          case 3:
            images.push_back(net.wire(Binary{BinaryOp::max}, {x, any()}));
            break;
          case 4:
            images.push_back(hard_swish(net, x));
            break;
          case 5: {
            const OutletId most = net.wire(Reduce{Reduction::max}, {x, net.integers({1})});
            images.push_back(net.wire(Binary{BinaryOp::sub}, {x, most}));
            break;
          }
          case 6: {
            std::vector<std::int64_t> perm{0, 1, 2};
            if (rank == 4) perm.push_back(3);
            std::shuffle(perm.begin() + 1, perm.end(), random);
            images.push_back(net.wire(Transpose{perm}, {x}));
            ++before;
            break;
          }
          default:
            images.push_back(net.wire(Softmax{}, {x}));
        }
      }
      for (int i = 0; i < 2; ++i) net.give(any());
      net.give(images.back());
      left += net.transposes_left();
    }
    CHECK(left < before);
  }
}
