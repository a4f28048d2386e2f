#include "kernel_ops/attention_kernel.h"
#include "kernel_ops/expand_kernel.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/view_kernel.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

/// Keys or values, and how many times each head of them comes, side by side.
struct Repeated {
  OutletId of;
  std::int64_t times;
};

/// What input `i` repeats along its axis `heads`: View(Expand(View(x))), where the axis to stretch
/// along comes in behind the heads and is joined with them.
std::optional<Repeated> repeated(const NodeView& node, std::size_t i, std::size_t heads) {
  if (!node.producer_as<ViewKernel>(i)) return std::nullopt;
  const NodeView joined = node.producer(i);
  if (!joined.producer_as<ExpandKernel>(0)) return std::nullopt;
  const NodeView stretched = joined.producer(0);
  if (!stretched.producer_as<ViewKernel>(0)) return std::nullopt;
  const NodeView apart = stretched.producer(0);
  const ShapeFact &whole = node.input_fact(i).shape, &parts = stretched.output_fact().shape,
                  &before = stretched.input_fact(0).shape, &x = apart.input_fact(0).shape;
  for (const ShapeFact* each : {&whole, &parts, &before, &x})
    if (each->is_open()) return std::nullopt;
  const std::size_t rank = whole.rank();
  if (x.rank() != rank || parts.rank() != rank + 1 || before.rank() != rank + 1)
    return std::nullopt;
  const auto times = parts[heads + 1].constant();
  if (!times || *times < 2 || before[heads + 1] != Dim(1)) return std::nullopt;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::size_t part = axis <= heads ? axis : axis + 1;
    const Dim wanted = axis == heads ? x[axis] * *times : x[axis];
    if (whole[axis] != wanted || parts[part] != x[axis] || before[part] != x[axis])
      return std::nullopt;
  }
  return Repeated{apart.input(0), *times};
}

}  // namespace

/// AttentionKernel(q, repeated k, repeated v, ..)  ->  AttentionKernel(q, k, v, ..), where heads of
/// queries share one of keys and values
Rewrite share_keys(const NodeView& node, const Target&) {
  AttentionKernel op = *node.op().as<AttentionKernel>();
  const ShapeFact& y = node.output_fact().shape;
  if (op.heads_per_key != 1 || y.is_open() || y.rank() >= kMaxKernelRank) return no_change;
  OutletIds inputs = node.inputs();
  for (const std::size_t i : {1, 2}) {
    const ShapeFact& shape = node.input_fact(i).shape;
    if (shape.is_open() || shape.rank() < 3) return no_change;
    const auto& perm = i == 1 ? op.perm_k : op.perm_v;
    const std::size_t axis = shape.rank() - 3;
    const auto found =
        repeated(node, i, perm.empty() ? axis : static_cast<std::size_t>(perm[axis]));
    if (!found || (i == 2 && found->times != op.heads_per_key)) return no_change;
    op.heads_per_key = found->times;
    inputs[i] = found->of;
  }
  return replace(node, op, inputs);
}

}  // namespace strata
