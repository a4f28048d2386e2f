#include <algorithm>

#include "passes/passes.h"

namespace strata {
namespace {

/// Results up to this size are folded even when their operands are smaller.
constexpr double kAlwaysFoldedBytes = 1 << 20;
constexpr double kGrowth = 4;

Cost memory_cost(const NodeView& node) {
  std::vector<const Fact*> in, out;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) in.push_back(&node.input_fact(i));
  for (std::size_t i = 0; i < node.output_count(); ++i) out.push_back(&node.output_fact(i));
  return detail::memory_cost(Facts(in), Facts(out));
}

}  // namespace

Rewrite fold_constants(const NodeView& node, const Limits& limits) {
  const double most = std::max(kAlwaysFoldedBytes, kGrowth * memory_cost(node).bytes_read);
  Limits frugal = limits;
  frugal.fold_bytes = std::min(limits.fold_bytes, static_cast<std::int64_t>(most));
  return fold_large_constants(node, frugal);
}

Rewrite fold_large_constants(const NodeView& node, const Limits& limits) {
  if (node.op().as<Source>() || node.op().as<Const>() || node.op().is_stateful()) return no_change;
  ValueList values;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const Const* constant = node.producer_as<Const>(i);
    if (!constant) return no_change;
    values.push_back(constant->value);
  }
  if (memory_cost(node).bytes_written > static_cast<double>(limits.fold_bytes)) return no_change;
  Limits folding = limits;
  folding.total_bytes = limits.fold_bytes;
  const MemoryScope scope(folding);
  try {
    return replace_by_constants(node, node.op().eval(values));
  } catch (const Error&) {
    return no_change;  // it fails in the run as well, and is reported there
  }
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
