#pragma once

#include <span>
#include <vector>

#include "strata/core/transform.h"

namespace strata {

/// The rules across ops that declutter applies to every node, in this order, after the op's own
/// hook.
std::span<const RewriteRule> declutter_rules();
/// The rules that it applies after those to nodes with bodies.
std::span<const RewriteRule> body_rules();

/// op(constants) -> constant, where the result is not much larger than its operands
Rewrite fold_constants(const NodeView& node, const Limits& limits);
/// The same for results of any size up to Limits::fold_bytes, for models that are not written to a
/// file
Rewrite fold_large_constants(const NodeView& node, const Limits& limits);
/// A node whose results the facts already tell -> constants
Rewrite materialize_known_values(const NodeView& node, const Limits& limits);

/// Transposes before and after nodes that can compute on axes in another order -> fewer of them
Rewrite move_transposes(const NodeView& node, const Limits& limits);

/// Items, insertions, erasures and joins of a sequence of known items -> those of its items
Rewrite sequences_as_wires(const NodeView& node, const Limits& limits);
/// If on a constant condition -> the body it chooses
Rewrite inline_constant_if(const NodeView& node, const Limits& limits);
/// What both bodies of an If compute -> computed before it, and captured
Rewrite hoist_common_code(const NodeView& node, const Limits& limits);
/// What a body of an If knows of the condition, or of a wire that is a constant -> a constant of
/// the body
Rewrite merge_nested_ifs(const NodeView& node, const Limits& limits);
/// If between two cheap elementwise bodies -> both of them, and a Select
Rewrite if_to_select(const NodeView& node, const Limits& limits);
/// Two Ifs on one condition -> one If
Rewrite merge_sibling_ifs(const NodeView& node, const Limits& limits);
/// Loop of no trips -> the initial values, and empty stacks
Rewrite zero_trip_loop(const NodeView& node, const Limits& limits);
/// Loop of 1 trip -> its body
Rewrite one_trip_loop(const NodeView& node, const Limits& limits);
/// Loop while c, where c is true in every iteration -> Loop
Rewrite drop_loop_condition(const NodeView& node, const Limits& limits);
/// Loop inputs that no output depends on, and outputs that nobody reads -> gone
Rewrite remove_unused_loop_values(const NodeView& node, const Limits& limits);
/// A carried value that every iteration passes on as it is -> an invariant
Rewrite invariant_carried(const NodeView& node, const Limits& limits);
/// Constants that a loop's body takes as invariants -> constants of the body
Rewrite move_constants_in(const NodeView& node, const Limits& limits);
/// Nodes of a loop's body that depend only on invariants -> invariants computed before the loop
Rewrite hoist_invariant_code(const NodeView& node, const Limits& limits);
/// Loop while a counter is below a bound -> Loop of as many trips as that takes
Rewrite while_to_for(const NodeView& node, const Limits& limits);
/// Loop while what follows from constants and the number of the iteration -> Loop of as many trips
Rewrite count_trips(const NodeView& node, const Limits& limits);
/// Gather(x, a + n or a - n), n the iteration number, or such a Slice of one row, in a loop's body
/// -> a scanned input
Rewrite scan_by_counter(const NodeView& node, const Limits& limits);
/// A carried sequence that grows, and is read only by being joined -> a carried tensor that grows
Rewrite sequence_as_tensor(const NodeView& node, const Limits& limits);
/// Sizes of carried values that begin alike and grow by the same amounts -> one symbol for all
Rewrite sizes_growing_alike(const NodeView& node, const Limits& limits);
/// A carried tensor or sequence that grows, and is read only after the loop -> a stacked output
Rewrite stack_growing(const NodeView& node, const Limits& limits);
/// Nodes of a loop's body that depend only on one scanned input -> computed on all of it before the
/// loop, and scanned
Rewrite batch_prefix(const NodeView& node, const Limits& limits);
/// Nodes of a loop's body between one value of an iteration and a stacked output -> computed on all
/// iterations after the loop
Rewrite batch_suffix(const NodeView& node, const Limits& limits);
/// Loop that scans what another one stacks -> one Loop with both bodies
Rewrite fuse_loops(const NodeView& node, const Limits& limits);
/// Loop of a fixed number of trips -> its iterations, one after the other, within
/// Limits::unroll_trips, unroll_nodes and unroll_bytes
Rewrite unroll_loops(const NodeView& node, const Limits& limits);
/// How many nodes the model, with all its bodies, would have if unroll_loops were applied wherever
/// it can be.
std::int64_t nodes_after_unrolling(const TypedModel& model, const Limits& limits);

struct MergedNodes {
  std::size_t gone = 0;
  std::vector<std::uint32_t> kept;  ///< each once: those that took the place of others
};
/// Two nodes of one op with the same inputs -> the first of them. Linear in the number of nodes.
MergedNodes merge_equal_nodes(TypedModel& model);

}  // namespace strata
