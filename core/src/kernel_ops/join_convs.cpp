#include <cmath>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/linear_node.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/conv.h"

namespace strata {
namespace {

using std::int64_t;

/// The convolution that makes an operand of a sum.
struct Branch {
  LinearNode linear;
  const Conv* op;
};

/// The other term of the sum: a second convolution of the same image, of one tap if `op` is null.
struct Addend {
  OutletId x;
  const Conv* op;
  Tensor weights;
  ChannelNumbers bias;  ///< empty: none
};

std::optional<Branch> conv_input(const NodeView& node, std::size_t i) {
  const auto linear = linear_input(node, i);
  const Conv* conv = linear ? linear->node.op().as<Conv>() : nullptr;
  if (!conv ||
      (conv->padding.kind != Padding::Kind::fixed && conv->padding.kind != Padding::Kind::valid))
    return std::nullopt;
  return Branch{*linear, conv};
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
  shape[0] = weights[0];
  shape[1] = weights[1];
  MutableTensor out = MutableTensor::zeros(DatumType::f32, shape);
  const auto in_group = static_cast<std::size_t>(weights[1]);
  for (std::size_t c = 0; c < factors.size(); ++c)
    out.as<float>()[c * in_group + c % in_group] = factors[c];
  return std::move(out).freeze();
}

/// The other operand where it is a convolution as well.
std::optional<Addend> added_conv(const NodeView& node, std::size_t i) {
  const auto branch = conv_input(node, i);
  if (!branch) return std::nullopt;
  Addend out{branch->linear.node.input(0), branch->op, *branch->linear.weights, {}};
  if (const Tensor* bias = branch->linear.bias)
    out.bias.assign(bias->as<float>().begin(), bias->as<float>().end());
  return out;
}

/// The other operand where it is x * factors, or x * factors + terms, of each channel.
std::optional<Addend> added_image(const NodeView& node, std::size_t i, const Branch& beside) {
  const Shape& weights = beside.linear.weights->shape();
  if (beside.linear.channels() != beside.op->group * weights[1] || !node.sole_reader(node.input(i)))
    return std::nullopt;
  const NodeView last = node.producer(i);
  const auto terms = channel_step(last, BinaryOp::add, beside.linear);
  if (terms && !last.sole_reader(last.input(terms->other))) return std::nullopt;
  const NodeView at = terms ? last.producer(terms->other) : last;
  const auto factors = channel_step(at, BinaryOp::mul, beside.linear);
  if (!factors) return std::nullopt;
  return Addend{at.input(factors->other), nullptr, diagonal(factors->numbers, weights),
                terms ? terms->numbers : ChannelNumbers()};
}

int64_t entry(const Shape& of_axes, std::size_t axis) {
  return of_axes.empty() ? 1 : of_axes[axis];
}

/// The tap of the branch's kernel that reads the same input as the first tap of the addend; nothing
/// unless all taps of the addend are among the branch's.
std::optional<Shape> first_tap(const Branch& branch, const Addend& added) {
  static const Conv kOneTap;
  const Conv &a = *branch.op, &b = added.op ? *added.op : kOneTap;
  const Shape& kernel = branch.linear.weights->shape();
  Shape out;
  for (std::size_t axis = 0; axis + 2 < kernel.size(); ++axis) {
    const int64_t step = entry(a.dilations, axis), taps = added.weights.shape()[axis + 2];
    const int64_t gap = padding_before(a.padding, axis, {}) - padding_before(b.padding, axis, {});
    if (entry(a.strides, axis) != entry(b.strides, axis) ||
        (taps > 1 && entry(b.dilations, axis) != step) || gap < 0 || gap % step != 0 ||
        gap / step + taps > kernel[axis + 2])
      return std::nullopt;
    out.push_back(gap / step);
  }
  return out;
}

/// Where tap i of a small kernel lies among those of a large one, of filters of these shapes.
int64_t place_of(int64_t i, const Shape& small, const Shape& large, const Shape& first) {
  int64_t place = 0, step = 1;
  for (std::size_t axis = small.size(); axis-- > 2; i /= small[axis], step *= large[axis])
    place += (i % small[axis] + first[axis - 2]) * step;
  return place;
}

/// Weights of the larger kernel with those of the smaller one added from a tap on; nothing where
/// one would not be finite.
std::optional<Tensor> sum_of(const Tensor& large, const Tensor& small, const Shape& first) {
  MutableTensor out = MutableTensor::copy_of(large);
  const float* from = small.as<float>().data();
  const int64_t taps = volume(Span(small.shape()).subspan(2)),
                all_taps = volume(Span(large.shape()).subspan(2));
  for (int64_t i = 0; i < taps; ++i) {
    float* to = out.as<float>().data() + place_of(i, small.shape(), large.shape(), first);
    for (int64_t filter = 0; filter * taps < small.size(); ++filter) {
      float& weight = to[filter * all_taps];
      weight += from[filter * taps + i];
      if (!std::isfinite(weight)) return std::nullopt;
    }
  }
  return std::move(out).freeze();
}

/// The convolution in the node's place that has the taps of both.
Rewrite joined(const NodeView& node, const Branch& branch, const Addend& added) {
  const LinearNode& linear = branch.linear;
  const Shape &a = linear.weights->shape(), &b = added.weights.shape();
  if (linear.node.input(0) != added.x || a.size() != b.size() || a[0] != b[0] || a[1] != b[1] ||
      (added.op && added.op->group != branch.op->group))
    return no_change;
  const auto first = first_tap(branch, added);
  const auto weights = first ? sum_of(*linear.weights, added.weights, *first) : std::nullopt;
  if (!weights) return no_change;
  std::optional<Tensor> bias;
  if (linear.bias) bias = *linear.bias;
  if (!added.bias.empty()) {
    bias = bias ? combined(*bias, 0, BinaryOp::add, added.bias)
                : Tensor::vector(std::span(added.bias));
    if (!bias) return no_change;
  }
  return with_constants(node, linear, *weights, bias);
}

}  // namespace

/// Conv(x, v) + Conv(x, w)  ->  Conv(x, v + w), where the taps of one kernel are some of the
/// other's and the weights are constant; x * c + d with numbers for each channel is a convolution
/// too
Rewrite join_convs(const NodeView& node, const Target&) {
  if (!adds_alike(node)) return no_change;
  for (const std::size_t i : {0, 1}) {
    const auto branch = conv_input(node, i);
    if (!branch) continue;
    auto added = added_conv(node, 1 - i);
    if (!added) added = added_image(node, 1 - i, *branch);
    if (!added) continue;
    if (Rewrite whole = joined(node, *branch, *added)) return whole;
  }
  return no_change;
}

}  // namespace strata
