#pragma once

#include <optional>

#include "kernel_ops/combined_weights.h"
#include "strata/core/patch.h"

namespace strata {

/// A Conv or MatMul with constant weights that nobody else reads, or that are few.
struct LinearNode {
  NodeView node;
  const Tensor* weights;
  const Tensor* bias = nullptr;
  std::size_t weight_axis = 0;  ///< of the weights: one place per output channel
  std::size_t axes_after = 0;   ///< axes of the output after that of the channels

  std::int64_t channels() const { return weights->shape()[weight_axis]; }
};

/// The linear op that makes input `i` for this node alone.
std::optional<LinearNode> linear_input(const NodeView& node, std::size_t i);

/// The constant operand `i` of the node as one number for each channel of `linear`; nothing where
/// it has more axes than that op's output.
std::optional<ChannelNumbers> by_channel(const NodeView& node, std::size_t i,
                                         const LinearNode& linear);

/// Puts the linear op with other weights and bias in the node's place.
Rewrite with_constants(const NodeView& node, const LinearNode& linear, const Tensor& weights,
                       const std::optional<Tensor>& bias);

}  // namespace strata
