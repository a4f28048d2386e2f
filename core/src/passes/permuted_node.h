#pragma once

#include <optional>
#include <vector>

#include "kernel_ops/transposition.h"

namespace strata {

/// What a permuted node reads in place of an operand.
struct PermutedOperand {
  bool is_turned = false;         ///< the operand with its axes in the new order
  std::optional<Tensor> instead;  ///< a constant to read instead; turned first if `is_turned`
};

/// An op that computes on permuted inputs what a node computes on its own. The node's wires of
/// `perm`'s rank are Transpose(turned, perm) of those that the op reads and makes instead.
struct PermutedNode {
  TypedOp op;
  std::vector<PermutedOperand> operands;
  bool turns_outputs = true;  ///< otherwise they stay as they were
};

/// Nothing for ops that treat axes differently, and for norms and other functions of the last axis:
/// rules recognise those by that axis, and kernels are made for it.
std::optional<PermutedNode> permuted_node(const NodeView& node, const Perm& perm);

}  // namespace strata
