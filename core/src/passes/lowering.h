#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "strata/core/transform.h"

namespace strata {

/// One rule from portable ops to a kernel op: its name in reports, what it does, and whether it may
/// begin at nodes of an op.
struct LoweringRule {
  std::string_view name;
  Rewrite (*apply)(const NodeView& node, const Target& target);
  bool (*begins_at)(const TypedOp& op);
};

/// A list of rules by the op they may begin at, so that a node is not shown to all of them.
class RulesByOp {
 public:
  explicit RulesByOp(std::span<const LoweringRule> rules) : rules_(rules) {}
  /// Those that may apply to a node of this op, in order; valid until others are asked for.
  std::span<const LoweringRule* const> of(const TypedOp& op);

 private:
  /// The rules of an op, which are a part of `found_`.
  struct Known {
    const char* op;  ///< the address of its name, which each struct has of its own
    std::size_t begin;
    std::size_t count;
  };

  std::span<const LoweringRule> rules_;
  std::vector<Known> known_;  ///< so few that a linear search is as fast as a hash
  std::vector<const LoweringRule*> found_;
};

/// The rules that turn products of dequantised floats into products of bytes, applied before
/// weights are dequantised.
std::span<const LoweringRule> dequantised_rules();
/// The rules that recognise larger patterns, such as cells of recurrent layers and what can be
/// folded into weights, applied before any part is lowered.
std::span<const LoweringRule> cell_rules();
/// The rules in the order they are tried on each node.
std::span<const LoweringRule> lowering_rules();
/// The rules for what is left when nothing more can be moved or cancelled.
std::span<const LoweringRule> closing_rules();

}  // namespace strata
