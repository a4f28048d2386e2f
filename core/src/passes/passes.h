#pragma once

#include <span>

#include "strata/core/transform.h"

namespace strata {

/// The rules across ops that declutter applies to every node, in this order, after the op's own
/// hook.
std::span<const RewriteRule> declutter_rules();

/// op(constants) -> constant, where the result is not much larger than its operands
Rewrite fold_constants(const NodeView& node, const Limits& limits);
/// A node whose results the facts already tell -> constants
Rewrite materialize_known_values(const NodeView& node, const Limits& limits);

/// If on a constant condition -> the body it chooses
Rewrite inline_constant_if(const NodeView& node, const Limits& limits);
/// If between two cheap elementwise bodies -> both of them, and Select
Rewrite if_to_select(const NodeView& node, const Limits& limits);
/// Loop of no trips -> the initial values, and empty stacks
Rewrite zero_trip_loop(const NodeView& node, const Limits& limits);
/// Loop while c, where c is true in every iteration -> Loop
Rewrite drop_loop_condition(const NodeView& node, const Limits& limits);
/// Loop inputs that no output depends on, and outputs that nobody reads -> gone
Rewrite remove_unused_loop_values(const NodeView& node, const Limits& limits);
/// A carried value that every iteration passes on as it is -> an invariant
Rewrite invariant_carried(const NodeView& node, const Limits& limits);
/// Constants that a loop's body takes as invariants -> constants of the body
Rewrite move_constants_in(const NodeView& node, const Limits& limits);
/// Nodes of a loop's body that depend on invariants alone -> invariants computed before the loop
Rewrite hoist_invariant_code(const NodeView& node, const Limits& limits);
/// Gather(x, iteration number) in a loop's body -> a scanned input
Rewrite scan_by_counter(const NodeView& node, const Limits& limits);
/// Nodes of a loop's body that depend on one scanned input alone -> computed on all of it before
/// the loop, and scanned
Rewrite batch_prefix(const NodeView& node, const Limits& limits);
/// Loop of a fixed number of trips -> its iterations, one after the other, within
/// Limits::unroll_nodes and unroll_bytes
Rewrite unroll_loops(const NodeView& node, const Limits& limits);

/// Two nodes of one op with the same inputs -> one of them. Linear in the nodes. Returns how many
/// were merged.
std::size_t merge_equal_nodes(TypedModel& model);

}  // namespace strata
