#pragma once

#include <span>
#include <string_view>

#include "strata/core/transform.h"

namespace strata {

/// One rule from portable ops to a kernel op: its name in reports and what it does.
struct LoweringRule {
  std::string_view name;
  Rewrite (*apply)(const NodeView& node, const Target& target);
};

/// The rules that find products of bytes where those of the floats they stand for are asked for,
/// before weights are dequantised.
std::span<const LoweringRule> dequantised_rules();
/// The rules that find the cells of recurrent layers, and what can be folded into weights, before
/// any of the parts is lowered.
std::span<const LoweringRule> cell_rules();
/// The rules in the order they are tried on each node.
std::span<const LoweringRule> lowering_rules();

}  // namespace strata
