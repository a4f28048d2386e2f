#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/cell_match.h"
#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/deconv_kernel.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/binary.h"

namespace strata {
namespace {

/// `op` of the node that makes input `i`, when this node is all that reads it.
template <class Op>
const Op* sole_producer(const NodeView& node, std::size_t i) {
  return node.sole_reader(node.input(i)) ? node.producer_as<Op>(i) : nullptr;
}

template <class Op>
Rewrite with_activation(const NodeView& node, const KernelFunction& function) {
  const Op* producer = sole_producer<Op>(node, 0);
  if (!producer) return no_change;
  const auto both = composed(producer->activation, function);
  if (!both) return no_change;
  Op fused = *producer;
  fused.activation = *both;
  return replace(node, fused, node.producer(0).inputs());
}

/// `producer`, which makes input `i` of an addition, with the other input as its residual.
template <class Op>
Rewrite with_residual(const NodeView& node, const Op& producer, std::size_t i) {
  if (producer.residual || !producer.activation.is_identity()) return no_change;
  Op fused = producer;
  fused.residual = true;
  OutletIds inputs = node.producer(i).inputs();
  inputs.push_back(behind_views(node.model, node.input(1 - i)));
  return replace(node, fused, inputs);
}

/// `producer`, which makes the blocks that the node turns into planes.
template <class Op>
Rewrite to_planes(const NodeView& node, Op producer) {
  producer.output = kernels::Layout::planes;
  return replace(node, producer, node.producer(0).inputs());
}

/// `kernel` of the node on the planes that its blocks are made of for it alone, by Winograd's way.
template <class Op>
Rewrite from_planes(const NodeView& node, Op kernel) {
  using enum kernels::BlockedMethod;
  if (!sole_producer<BlockChannels>(node, 0) ||
      (kernel.method != winograd2 && kernel.method != winograd4))
    return no_change;
  kernel.input = kernels::Layout::planes;
  OutletIds inputs = node.inputs();
  inputs[0] = node.producer(0).input(0);
  return replace(node, kernel, inputs);
}

}  // namespace

/// activation(ConvKernel(x)) -> ConvKernel(x) with the activation, and the same for
/// BlockedConvKernel, DeconvKernel and MatMulKernel
Rewrite fuse_activation(const NodeView& node, const Target&) {
  const auto function = kernel_function(node.op());
  if (!function) return no_change;
  if (Rewrite conv = with_activation<ConvKernel>(node, *function)) return conv;
  if (Rewrite conv = with_activation<BlockedConvKernel>(node, *function)) return conv;
  if (Rewrite deconv = with_activation<DeconvKernel>(node, *function)) return deconv;
  return with_activation<MatMulKernel>(node, *function);
}

/// MatMulKernel(a, packed b) + bias[n] -> MatMulKernel(a, packed b, bias)
Rewrite fuse_bias(const NodeView& node, const Target&) {
  const Binary* add = node.op().as<Binary>();
  if (!add || add->op != BinaryOp::add) return no_change;
  for (const std::size_t i : {0, 1}) {
    const MatMulKernel* matmul = sole_producer<MatMulKernel>(node, i);
    if (!matmul || matmul->packed_k == 0 || !matmul->activation.is_identity() ||
        matmul->has_bias(node.producer(i).inputs().size()))
      continue;
    const ShapeFact& bias = node.input_fact(1 - i).shape;
    if (bias.is_open() || bias.rank() != 1 || bias[0] != Dim(matmul->packed_n)) continue;
    OutletIds inputs = node.producer(i).inputs();
    inputs.insert(inputs.begin() + 2, node.input(1 - i));
    return replace(node, *matmul, inputs);
  }
  return no_change;
}

/// MatMulKernel(a, packed b) + residual as large as the product -> MatMulKernel(a, packed b,
/// residual), and the same for BlockedConvKernel
Rewrite fuse_residual(const NodeView& node, const Target&) {
  if (!adds_alike(node)) return no_change;
  for (const std::size_t i : {1, 0}) {
    const MatMulKernel* matmul = sole_producer<MatMulKernel>(node, i);
    if (matmul && matmul->packed_k != 0)
      if (Rewrite fused = with_residual(node, *matmul, i)) return fused;
    if (const BlockedConvKernel* conv = sole_producer<BlockedConvKernel>(node, i))
      if (Rewrite fused = with_residual(node, *conv, i)) return fused;
  }
  return no_change;
}

/// UnblockChannels(BlockedConvKernel(x)) -> BlockedConvKernel(x) to planes, and the same for
/// DeconvKernel
Rewrite fuse_unblock(const NodeView& node, const Target&) {
  if (!node.op().as<UnblockChannels>()) return no_change;
  if (const DeconvKernel* deconv = sole_producer<DeconvKernel>(node, 0))
    return to_planes(node, *deconv);
  const BlockedConvKernel* conv = sole_producer<BlockedConvKernel>(node, 0);
  if (!conv || conv->residual || conv->method == kernels::BlockedMethod::depthwise ||
      conv->method == kernels::BlockedMethod::grouped)
    return no_change;
  return to_planes(node, *conv);
}

/// BlockedConvKernel(BlockChannels(x)) -> BlockedConvKernel(x) from planes, and the same for
/// DeconvKernel, by Winograd's way: its transforms turn planes without writing a whole image of
/// blocks
Rewrite fuse_block(const NodeView& node, const Target&) {
  if (const DeconvKernel* deconv = node.op().as<DeconvKernel>()) return from_planes(node, *deconv);
  if (const BlockedConvKernel* conv = node.op().as<BlockedConvKernel>())
    return from_planes(node, *conv);
  return no_change;
}

}  // namespace strata
