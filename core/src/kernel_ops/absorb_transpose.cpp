#include "kernel_ops/attention_kernel.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/transposition.h"

namespace strata {
namespace {

/// Lets the kernel read input `i` without its Transpose, if the elements of a row or a column stay
/// neighbours.
Rewrite absorb_before(const NodeView& node, std::size_t i) {
  const auto order = stepping_order(node.op(), i);
  const auto perm = order ? transposed_by(node, i) : std::nullopt;
  if (!perm || !node.sole_reader(node.input(i))) return no_change;
  const Perm both = composed(*perm, *order);
  if (!keeps_lines(both)) return no_change;
  OutletIds inputs = node.inputs();
  inputs[i] = node.producer(i).input(0);
  return replace(node, with_stepping_order(node.op(), i, both), inputs);
}

/// Lets the attention that the Transpose `node` reads write its result transposed.
Rewrite absorb_after(const NodeView& node, const Perm& perm) {
  const AttentionKernel* attention = node.producer_as<AttentionKernel>(0);
  if (!attention || !node.sole_reader(node.input(0))) return no_change;
  AttentionKernel strided = *attention;
  strided.perm_y = composed(inverse(perm), attention->perm_y);
  if (strided.perm_y.back() + 1 != static_cast<std::int64_t>(perm.size())) return no_change;
  return replace(node, strided, node.producer(0).inputs());
}

}  // namespace

/// MatMulKernel(.., Transpose(x))     ->  MatMulKernel(.., x)
/// AttentionKernel(.., Transpose(x))  ->  AttentionKernel(.., x)
/// Transpose(AttentionKernel(..))     ->  AttentionKernel(..)
/// with kernels that step through x, or through what they make, in that order
Rewrite absorb_transpose(const NodeView& node, const Target&) {
  if (const auto perm = transposition(node)) return absorb_after(node, *perm);
  for (std::size_t i = 0; i < node.inputs().size() && stepping_order(node.op(), i); ++i)
    if (Rewrite absorbed = absorb_before(node, i)) return absorbed;
  return no_change;
}

}  // namespace strata
