#include <algorithm>

#include "passes/passes.h"

namespace strata {
namespace {

/// Results up to this size are folded even when their operands are smaller.
constexpr double kAlwaysFoldedBytes = 1 << 20;
constexpr double kGrowth = 4;

/// Whether the results are known to be no larger than folding may make them.
bool is_worth_folding(const NodeView& node, const Limits& limits) {
  std::vector<const Fact*> in, out;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) in.push_back(&node.input_fact(i));
  for (std::size_t i = 0; i < node.output_count(); ++i) out.push_back(&node.output_fact(i));
  const Cost cost = detail::memory_cost(Facts(in), Facts(out));
  return cost.bytes_written <= std::min(static_cast<double>(limits.fold_bytes),
                                        std::max(kAlwaysFoldedBytes, kGrowth * cost.bytes_read));
}

}  // namespace

Rewrite fold_constants(const NodeView& node, const Limits& limits) {
  if (node.op().as<Source>() || node.op().as<Const>() || node.op().is_stateful()) return no_change;
  ValueList values;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const Const* constant = node.producer_as<Const>(i);
    if (!constant) return no_change;
    values.push_back(constant->value);
  }
  if (!is_worth_folding(node, limits)) return no_change;
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
