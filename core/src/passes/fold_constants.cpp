#include <algorithm>

#include "passes/passes.h"
#include "strata/core/ops/quantize.h"

namespace strata {
namespace {

/// Results up to this size are folded even when their operands are smaller.
constexpr double kAlwaysFoldedBytes = 1 << 20;
constexpr double kGrowth = 4;

Cost memory_cost(const NodeView& node) {
  SmallVector<const Fact*, 8> in, out;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) in.push_back(&node.input_fact(i));
  for (std::size_t i = 0; i < node.output_count(); ++i) out.push_back(&node.output_fact(i));
  return detail::memory_cost(Facts(in), Facts(out));
}

/// Whether the node computes something from constants alone, and always the same.
bool is_foldable(const NodeView& node) {
  if (node.op().as<Source>() || node.op().as<Const>() || node.op().is_stateful()) return false;
  return std::all_of(node.inputs().begin(), node.inputs().end(), [&](const OutletId input) {
    return node.model.node(input.node).op.as<Const>() != nullptr;
  });
}

/// The results as constants, where they take no more than `most` bytes.
Rewrite folded(const NodeView& node, const Limits& limits, std::int64_t most) {
  if (memory_cost(node).bytes_written > static_cast<double>(most)) return no_change;
  ValueList values;
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    values.push_back(node.producer_as<Const>(i)->value);
  Limits folding = limits;
  folding.total_bytes = most;
  const MemoryScope scope(folding);
  try {
    return replace_by_constants(node, node.op().eval(values));
  } catch (const Error&) {
    return no_change;  // it fails in the run as well, and is reported there
  }
}

}  // namespace

Rewrite fold_constants(const NodeView& node, const Limits& limits) {
  // What is quantised stays narrow: products of bytes are found by it, and files stay small.
  if (!is_foldable(node) || node.op().as<Dequantize>()) return no_change;
  const double most = std::max(kAlwaysFoldedBytes, kGrowth * memory_cost(node).bytes_read);
  return folded(node, limits, std::min(limits.fold_bytes, static_cast<std::int64_t>(most)));
}

Rewrite fold_large_constants(const NodeView& node, const Limits& limits) {
  return is_foldable(node) ? folded(node, limits, limits.fold_bytes) : no_change;
}

Rewrite materialize_known_values(const NodeView& node, const Limits&) {
  if (node.op().as<Source>() || node.op().as<Const>() || node.op().is_stateful()) return no_change;
  ValueList values;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Tensor* known = node.output_fact(i).constant();
    if (!known) return no_change;
    values.push_back(*known);
  }
  if (values.empty()) return no_change;
  return replace_by_constants(node, values);
}

}  // namespace strata
