#include <algorithm>
#include <cmath>
#include <functional>

#include "kernel_ops/kernel_op.h"
#include "kernel_ops/linear_node.h"
#include "strata/core/ops/conv.h"

namespace strata {
namespace {

using std::int64_t;

/// What a sum adds: a convolution whose weights and bias are constant, and what it reads.
struct Branch {
  OutletId x;
  Conv op;
  Tensor weights;
  std::optional<ChannelNumbers> bias;

  std::size_t axes() const { return weights.rank() - 2; }
  int64_t kernel(std::size_t axis) const { return weights.shape()[axis + 2]; }
  int64_t stride(std::size_t axis) const { return op.strides.empty() ? 1 : op.strides[axis]; }
  int64_t dilation(std::size_t axis) const { return op.dilations.empty() ? 1 : op.dilations[axis]; }
  int64_t before(std::size_t axis) const {
    return op.padding.amounts.empty() ? 0 : op.padding.amounts[axis];
  }
};

std::optional<Branch> conv_input(const NodeView& node, std::size_t i) {
  const auto linear = linear_input(node, i);
  const Conv* conv = linear ? linear->node.op().as<Conv>() : nullptr;
  if (!conv ||
      (conv->padding.kind != Padding::Kind::fixed && conv->padding.kind != Padding::Kind::valid))
    return std::nullopt;
  Branch out{linear->node.input(0), *conv, *linear->weights, std::nullopt};
  if (linear->bias) {
    const auto bias = linear->bias->as<float>();
    out.bias = ChannelNumbers(bias.begin(), bias.end());
  }
  return out;
}

/// A constant operand of an operation for each channel, and where the other one is.
struct ChannelStep {
  ChannelNumbers numbers;
  std::size_t other;
};

std::optional<ChannelStep> channel_step(const NodeView& node, BinaryOp op,
                                        const LinearNode& linear) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || binary->op != op) return std::nullopt;
  for (const std::size_t i : {1, 0})
    if (auto numbers = by_channel(node, i, linear)) return ChannelStep{std::move(*numbers), 1 - i};
  return std::nullopt;
}

/// One tap of each channel's own input, of as many channels as other weights.
Tensor diagonal(const ChannelNumbers& factors, const Shape& weights) {
  Shape shape(weights.size(), 1);
  shape[0] = weights[0], shape[1] = weights[1];
  MutableTensor out = MutableTensor::zeros(DatumType::f32, shape);
  const auto in_group = static_cast<std::size_t>(weights[1]);
  for (std::size_t c = 0; c < factors.size(); ++c)
    out.as<float>()[c * in_group + c % in_group] = factors[c];
  return std::move(out).freeze();
}

/// x * factors or x * factors + terms of each channel, as a convolution of one tap beside that which input
/// `1 - i` of the node is.
std::optional<Branch> scaled_input(const NodeView& node, std::size_t i) {
  const auto linear = linear_input(node, 1 - i);
  const Conv* conv = linear ? linear->node.op().as<Conv>() : nullptr;
  if (!conv || linear->channels() != conv->group * linear->weights->shape()[1] ||
      !node.sole_reader(node.input(i)))
    return std::nullopt;
  const NodeView last = node.producer(i);
  auto terms = channel_step(last, BinaryOp::add, *linear);
  if (terms && !last.sole_reader(last.input(terms->other))) return std::nullopt;
  const NodeView at = terms ? last.producer(terms->other) : last;
  const auto factors = channel_step(at, BinaryOp::mul, *linear);
  if (!factors) return std::nullopt;
  Branch out{at.input(factors->other), Conv{.group = conv->group},
             diagonal(factors->numbers, linear->weights->shape()), std::nullopt};
  if (terms) out.bias = std::move(terms->numbers);
  return out;
}

/// The tap of the larger kernel that reads what the first of the smaller one does; nothing where the
/// smaller one has a tap that is none of the larger one's.
std::optional<Shape> first_tap(const Branch& large, const Branch& small) {
  Shape out;
  for (std::size_t axis = 0; axis < large.axes(); ++axis) {
    const int64_t step = large.dilation(axis), taps = small.kernel(axis);
    const int64_t gap = large.before(axis) - small.before(axis);
    if (large.stride(axis) != small.stride(axis) || (taps > 1 && small.dilation(axis) != step) ||
        gap < 0 || gap % step != 0 || gap / step + taps > large.kernel(axis))
      return std::nullopt;
    out.push_back(gap / step);
  }
  return out;
}

/// Weights of the larger kernel with those of the smaller one added from a tap on; nothing where one would
/// not be finite.
std::optional<Tensor> sum_of(const Tensor& large, const Tensor& small, const Shape& first) {
  MutableTensor out = MutableTensor::copy_of(large);
  const Shape taps = small.shape();
  const Shape steps = row_major_strides(large.shape());
  const auto from = small.as<float>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    int64_t at = 0, rest = static_cast<int64_t>(i);
    for (std::size_t axis = taps.size(); axis-- > 0; rest /= taps[axis])
      at += (rest % taps[axis] + (axis < 2 ? 0 : first[axis - 2])) * steps[axis];
    float& weight = out.as<float>()[static_cast<std::size_t>(at)];
    weight += from[i];
    if (!std::isfinite(weight)) return std::nullopt;
  }
  return std::move(out).freeze();
}

std::optional<Tensor> sum_of_biases(const Branch& a, const Branch& b) {
  if (!a.bias && !b.bias) return std::nullopt;
  ChannelNumbers sum = a.bias ? *a.bias : *b.bias;
  if (a.bias && b.bias)
    std::transform(sum.begin(), sum.end(), b.bias->begin(), sum.begin(), std::plus());
  return Tensor::vector(std::span<const float>(sum));
}

/// The convolution in the node's place that has the taps of both.
Rewrite joined(const NodeView& node, const Branch& large, const Branch& small) {
  const Shape &a = large.weights.shape(), &b = small.weights.shape();
  if (large.x != small.x || large.op.group != small.op.group || a.size() != b.size() ||
      a[0] != b[0] || a[1] != b[1])
    return no_change;
  const auto first = first_tap(large, small);
  const auto weights = first ? sum_of(large.weights, small.weights, *first) : std::nullopt;
  if (!weights) return no_change;
  Patch patch(node);
  OutletIds inputs{large.x, patch.constant("weights", *weights)};
  if (const auto bias = sum_of_biases(large, small))
    inputs.push_back(patch.constant("bias", *bias));
  patch.shunt(node.output(), patch.wire_one("", large.op, inputs));
  return patch;
}

}  // namespace

/// Conv(x, v) + Conv(x, w)  ->  Conv(x, v + w), where the taps of one kernel are some of the other's and the
/// weights are constant; x * c + d with numbers for each channel is a convolution too
Rewrite join_convs(const NodeView& node, const Target&) {
  const Binary* add = node.op().as<Binary>();
  if (!add || add->op != BinaryOp::add) return no_change;
  const ShapeFact& y = node.output_fact().shape;
  if (y.is_open() || node.input_fact(0).shape != y || node.input_fact(1).shape != y)
    return no_change;
  for (const std::size_t i : {0, 1}) {
    const auto large = conv_input(node, i);
    if (!large) continue;
    auto small = conv_input(node, 1 - i);
    if (!small) small = scaled_input(node, 1 - i);
    if (!small) continue;
    if (Rewrite whole = joined(node, *large, *small)) return whole;
  }
  return no_change;
}

}  // namespace strata
