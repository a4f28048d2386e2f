#pragma once

#include <optional>
#include <vector>

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Where each axis of a tensor comes from, like the attribute of Transpose.
using Perm = std::vector<std::int64_t>;

/// The order in which a Transpose, lowered or not, lays out the axes of its input of known rank;
/// nothing for another op.
std::optional<Perm> transposition(const NodeView& node);
/// That of the node which makes input `i`.
inline std::optional<Perm> transposed_by(const NodeView& node, std::size_t i) {
  return transposition(node.producer(i));
}
Perm inverse(const Perm& perm);
/// One transposition after another: Transpose(Transpose(x, first), second). An empty one moves
/// nothing.
Perm composed(const Perm& first, const Perm& second);
/// The fact of Transpose(x, perm), or of x itself if perm is empty.
Fact permuted(const Fact& fact, const Perm& perm);
/// The order in which a kernel that multiplies matrices steps through the axes of its operand
/// `slot`; empty as they lie. Nothing for other ops and other inputs.
std::optional<Perm> stepping_order(const TypedOp& op, std::size_t slot);
/// The same kernel with another order, where it has one.
TypedOp with_stepping_order(const TypedOp& op, std::size_t slot, const Perm& perm);
/// Whether the innermost axis stays among the last two, so that rows or columns of matrices stay in
/// one piece.
bool keeps_lines(const Perm& perm);

}  // namespace strata
