#include "kernel_ops/linear_node.h"

#include <algorithm>

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/matmul.h"

namespace strata {
namespace {

/// Weights that other nodes read too are copied if they have at most so many elements.
constexpr std::int64_t kSmall = 1 << 18;

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

}  // namespace

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

std::optional<ChannelNumbers> by_channel(const NodeView& node, std::size_t i,
                                         const LinearNode& linear) {
  const Tensor* operand = f32_constant(node.input_fact(i));
  const ShapeFact& made = linear.node.output_fact().shape;
  if (!operand || made.is_open() || operand->rank() > made.rank()) return std::nullopt;
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

Rewrite with_constants(const NodeView& node, const LinearNode& linear, const Tensor& weights,
                       const std::optional<Tensor>& bias) {
  Patch patch(node);
  OutletIds inputs{linear.node.input(0), patch.constant("weights", weights)};
  if (bias) inputs.push_back(patch.constant("bias", *bias));
  patch.shunt(node.output(), patch.wire_one("", linear.node.op(), inputs));
  return patch;
}

}  // namespace strata
