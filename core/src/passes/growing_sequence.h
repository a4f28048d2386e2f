#pragma once

#include <optional>
#include <vector>

#include "passes/loop_draft.h"
#include "strata/core/ops/concat_from_sequence.h"

namespace strata {

/// A carried sequence that each iteration adds one item to, and that is read only by being joined.
struct GrowingSequence {
  std::size_t entry = 0;
  OutletId item;
  bool is_prepended = false;
  std::vector<std::uint32_t> joins_before;   ///< nodes of the body that join it without the item
  std::vector<std::uint32_t> joins_after;    ///< nodes of the body that join it with the item
  std::vector<std::uint32_t> joins_outside;  ///< nodes that join the final sequence
  bool begins_empty = false;
};

/// The carried entry as a sequence that grows, where it is one.
std::optional<GrowingSequence> growing_sequence(const TypedModel& model, const LoopDraft& draft,
                                                std::size_t entry);

/// Whether one of these ops makes a value that the loop carries: without one, nothing grows.
template <class... Ops>
bool carries_on(const Loop& loop) {
  const std::size_t carried = loop.carried().size();
  for (std::size_t k = 0; k < carried; ++k) {
    const TypedOp& maker = loop.body->node(loop.body->outputs()[k].outlet.node).op;
    if ((maker.as<Ops>() || ...)) return true;
  }
  return false;
}

/// How a join places the items in its output, and the fact of an item there; nothing if the rank of
/// the items is unknown.
struct JoinedItem {
  std::size_t axis = 0;
  SequenceJoin join = SequenceJoin::existing_axis;
  ShapeFact shape;
};
std::optional<JoinedItem> joined_item(const ConcatFromSequence& join, const Fact& item);

/// The item of a body with the axis it is joined along.
OutletId joined_wire(TypedModel& body, const JoinedItem& how, OutletId item);

}  // namespace strata
