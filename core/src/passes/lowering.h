#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strata/core/transform.h"

namespace strata {

/// One rule from portable ops to a kernel op: its name in reports, what it does, and whether it begins
/// at nodes of an op.
struct LoweringRule {
  std::string_view name;
  Rewrite (*apply)(const NodeView& node, const Target& target);
  bool (*begins_at)(const TypedOp& op);
};

/// A list of rules by the op they may begin at, so that a node is not shown to all of them.
class RulesByOp {
 public:
  explicit RulesByOp(std::span<const LoweringRule> rules) : rules_(rules) {}
  /// Those that may apply to a node of this op, in order.
  const std::vector<const LoweringRule*>& of(const TypedOp& op);

 private:
  std::span<const LoweringRule> rules_;
  /// By where the ops' names lie, of which each struct has one.
  std::unordered_map<const char*, std::vector<const LoweringRule*>> known_;
};

/// The rules that find products of bytes where those of the floats they stand for are asked for,
/// before weights are dequantised.
std::span<const LoweringRule> dequantised_rules();
/// The rules that find the cells of recurrent layers, and what can be folded into weights, before
/// any of the parts is lowered.
std::span<const LoweringRule> cell_rules();
/// The rules in the order they are tried on each node.
std::span<const LoweringRule> lowering_rules();
/// The rules for what is left where nothing more can be moved or cancelled.
std::span<const LoweringRule> closing_rules();

}  // namespace strata
