#pragma once

#include <optional>
#include <vector>

#include "kernel_ops/transposition.h"

namespace strata {

/// What a permuted node reads in the place of an operand.
struct PermutedOperand {
  bool is_turned = false;         ///< the operand with its axes where they are to be
  std::optional<Tensor> instead;  ///< a constant for it; turned first where `is_turned`
};

/// An op that computes on permuted inputs what a node does on its own. The node's wires of `perm`'s
/// rank are Transpose(turned, perm) of those that it reads and makes instead.
struct PermutedNode {
  TypedOp op;
  std::vector<PermutedOperand> operands;
  bool turns_outputs = true;  ///< otherwise they are what they were
};

/// Nothing for ops that treat axes differently, and for norms and other functions of the last axis:
/// rules find those by it, and kernels are made for it.
std::optional<PermutedNode> permuted_node(const NodeView& node, const Perm& perm);

}  // namespace strata
