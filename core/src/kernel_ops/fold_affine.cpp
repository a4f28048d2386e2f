#include <algorithm>

#include "kernel_ops/combined_weights.h"
#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/matmul.h"

namespace strata {
namespace {

/// Weights that others read too are copied when they have no more elements.
constexpr std::int64_t kSmall = 1 << 18;

/// A Conv or MatMul with constant weights that nobody else reads, or few.
struct LinearNode {
  NodeView node;
  const Tensor* weights;
  const Tensor* bias = nullptr;
  std::size_t weight_axis;     ///< of the weights, one place an output channel
  std::size_t axes_after = 0;  ///< axes of the output after that of the channels

  std::int64_t channels() const { return weights->shape()[weight_axis]; }
};

const Tensor* f32_constant(const Fact& fact) { return is_f32(fact) ? fact.constant() : nullptr; }

std::optional<LinearNode> conv_of(const NodeView& node) {
  const Tensor* weights = f32_constant(node.input_fact(1));
  if (!weights || weights->rank() < 3) return std::nullopt;
  LinearNode out{
      .node = node, .weights = weights, .weight_axis = 0, .axes_after = weights->rank() - 2};
  if (node.inputs().size() > 2) {
    out.bias = f32_constant(node.input_fact(2));
    if (!out.bias) return std::nullopt;
  }
  return out;
}

std::optional<LinearNode> matmul_of(const NodeView& node, const MatMul& op) {
  const Tensor* weights = f32_constant(node.input_fact(1));
  const ShapeFact& a = node.input_fact(0).shape;
  if (!weights || weights->rank() != 2 || a.is_open() || a.rank() < 2) return std::nullopt;
  return LinearNode{
      .node = node, .weights = weights, .weight_axis = op.transpose_b ? std::size_t{0} : 1};
}

/// The linear op that makes input `i` for this node alone.
std::optional<LinearNode> linear_input(const NodeView& node, std::size_t i) {
  if (!node.sole_reader(node.input(i))) return std::nullopt;
  const NodeView producer = node.producer(i);
  if (producer.inputs().size() < 2) return std::nullopt;
  const MatMul* matmul = producer.op().as<MatMul>();
  if (!matmul && !producer.op().as<Conv>()) return std::nullopt;
  const std::optional<LinearNode> out = matmul ? matmul_of(producer, *matmul) : conv_of(producer);
  if (!out || (out->weights->size() > kSmall && !node.sole_reader(producer.input(1))))
    return std::nullopt;
  return out;
}

/// The constant operand `i` of the node as one number for each channel of `linear`.
std::optional<ChannelNumbers> by_channel(const NodeView& node, std::size_t i,
                                         const LinearNode& linear) {
  const Tensor* operand = f32_constant(node.input_fact(i));
  const ShapeFact& out = node.output_fact().shape;
  if (!operand || out.is_open() || operand->rank() > out.rank()) return std::nullopt;
  const Shape& shape = operand->shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool is_channels = shape.size() - 1 - axis == linear.axes_after;
    if (shape[axis] != 1 && !(is_channels && shape[axis] == linear.channels())) return std::nullopt;
  }
  const auto numbers = operand->as<float>();
  if (numbers.size() == 1)
    return ChannelNumbers(static_cast<std::size_t>(linear.channels()), numbers.front());
  return ChannelNumbers(numbers.begin(), numbers.end());
}

/// The linear op with other weights and bias in the node's place.
Rewrite with_constants(const NodeView& node, const LinearNode& linear, const Tensor& weights,
                       const std::optional<Tensor>& bias) {
  Patch patch(node);
  OutletIds inputs{linear.node.input(0), patch.constant("weights", weights)};
  if (bias) inputs.push_back(patch.constant("bias", *bias));
  patch.shunt(node.output(), patch.wire_one("", linear.node.op(), inputs));
  return patch;
}

Rewrite scaled(const NodeView& node, const LinearNode& linear, const ChannelNumbers& factors,
               BinaryOp op) {
  const auto weights = combined(*linear.weights, linear.weight_axis, op, factors);
  std::optional<Tensor> bias;
  if (linear.bias) bias = combined(*linear.bias, 0, op, factors);
  if (!weights || bias.has_value() != (linear.bias != nullptr)) return no_change;
  return with_constants(node, linear, *weights, bias);
}

}  // namespace

/// Conv(x, w, b) * c  ->  Conv(x, w * c, b * c), where c is constant and one number a channel; also
/// for a quotient, and for MatMul with constant weights
Rewrite fold_scale(const NodeView& node, const Target&) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || (binary->op != BinaryOp::mul && binary->op != BinaryOp::div)) return no_change;
  const bool is_product = binary->op == BinaryOp::mul;
  for (std::size_t i = 0; i < (is_product ? 2U : 1U); ++i) {
    const auto linear = linear_input(node, i);
    if (!linear) continue;
    const auto factors = by_channel(node, 1 - i, *linear);
    if (!factors) continue;
    return scaled(node, *linear, *factors, binary->op);
  }
  return no_change;
}

/// Conv(x, w, b) + c  ->  Conv(x, w, b + c), where c is constant and one number a channel; also for
/// a difference
Rewrite fold_shift(const NodeView& node, const Target&) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || (binary->op != BinaryOp::add && binary->op != BinaryOp::sub)) return no_change;
  const bool is_sum = binary->op == BinaryOp::add;
  for (std::size_t i = 0; i < (is_sum ? 2U : 1U); ++i) {
    const auto linear = linear_input(node, i);
    if (!linear || !linear->node.op().as<Conv>()) continue;
    auto terms = by_channel(node, 1 - i, *linear);
    if (!terms) continue;
    if (!is_sum)
      for (float& term : *terms) term = -term;
    const Tensor none = MutableTensor::zeros(DatumType::f32, {linear->channels()}).freeze();
    const auto bias = combined(linear->bias ? *linear->bias : none, 0, BinaryOp::add, *terms);
    if (bias) return with_constants(node, *linear, *linear->weights, bias);
  }
  return no_change;
}

}  // namespace strata
