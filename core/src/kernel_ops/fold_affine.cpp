#include "kernel_ops/kernel_op.h"
#include "kernel_ops/linear_node.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/conv.h"

namespace strata {
namespace {

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
