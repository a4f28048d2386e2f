#include <algorithm>

#include "passes/growing_sequence.h"
#include "passes/infer_again.h"
#include "passes/passes.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/sequence_insert.h"

namespace strata {
namespace {

bool operator==(const JoinedItem& a, const JoinedItem& b) {
  return a.axis == b.axis && a.join == b.join;
}

/// Turns sequences into the tensors they are joined to.
class SequenceJoiner {
 public:
  SequenceJoiner(const NodeView& node, const Loop& loop)
      : node_(node), patch_(node), draft_(node, loop) {}

  Rewrite run() && {
    bool changed = false;
    for (const std::size_t entry : draft_.carried()) changed |= join(entry);
    if (!changed) return no_change;
    return std::move(draft_).finish(std::move(patch_));
  }

 private:
  const ConcatFromSequence& join_in(const TypedModel& model, std::uint32_t id) const {
    return *model.node(id).op.as<ConcatFromSequence>();
  }

  /// How the sequence is joined, if all its joins do it alike.
  std::optional<JoinedItem> common_join(const GrowingSequence& sequence) const {
    const Fact& item = draft_.body->fact(sequence.item);
    std::optional<JoinedItem> common;
    const auto agree = [&](const TypedModel& model, const std::vector<std::uint32_t>& joins) {
      return std::all_of(joins.begin(), joins.end(), [&](std::uint32_t id) {
        const auto how = joined_item(join_in(model, id), item);
        if (!common) common = how;
        return how && *how == *common;
      });
    };
    const bool is_common = agree(*draft_.body, sequence.joins_before) &&
                           agree(*draft_.body, sequence.joins_after) &&
                           agree(node_.model, sequence.joins_outside);
    return is_common ? common : std::nullopt;
  }

  /// The tensor before the first iteration, if its shape is known.
  std::optional<OutletId> initial(const GrowingSequence& sequence, const JoinedItem& how) {
    const OutletId outer = draft_.entries[sequence.entry].outer;
    const Fact& fact = node_.model.fact(outer);
    const auto signed_axis = static_cast<std::int64_t>(how.axis);
    if (sequence.begins_empty) {
      std::vector<Dim> dims = how.shape.dims();
      dims[how.axis] = 0;
      const auto shape = ShapeFact(std::move(dims)).concrete();
      if (!shape || !sequence.joins_before.empty()) return std::nullopt;
      const DatumType type = draft_.body->fact(sequence.item).dtype;
      return patch_.constant("initial", MutableTensor::zeros(type, *shape).freeze());
    }
    const ConcatFromSequence join{signed_axis, how.join};
    const auto first = joined_item(join, *fact.element);
    if (!fact.length || !node_.model.symbols().provably_at_least(*fact.length, 1) || !first ||
        first->shape.rank() != how.shape.rank() ||
        dims_but(first->shape, how.axis) != dims_but(how.shape, how.axis))
      return std::nullopt;
    return patch_.wire_one("initial", join, {outer});
  }

  bool join(std::size_t entry) {
    const auto sequence = growing_sequence(node_.model, draft_, entry);
    if (!sequence || (sequence->joins_before.empty() && sequence->joins_after.empty()))
      return false;
    const auto how = common_join(*sequence);
    const auto first = how ? initial(*sequence, *how) : std::nullopt;
    if (!first) return false;
    TypedModel& body = draft_.body.changed();
    LoopDraft::Entry& carried = draft_.entries[entry];
    std::vector<Dim> dims = how->shape.dims();
    dims[how->axis] = body.symbols().fresh();
    const std::string name = body.node(carried.source.node).name;
    const OutletId before =
        body.add_source(body.unique_name(cat(name, ".joined")),
                        Fact::tensor(body.fact(sequence->item).dtype, std::move(dims)));
    OutletIds parts{before, joined_wire(body, *how, sequence->item)};
    if (sequence->is_prepended) std::swap(parts[0], parts[1]);
    const OutletId after = body.wire_one(body.unique_name(cat(carried.next.name, ".joined")),
                                         Concat{static_cast<std::int64_t>(how->axis)}, parts);
    for (const std::uint32_t id : sequence->joins_before) body.redirect({id, 0}, before);
    for (const std::uint32_t id : sequence->joins_after) body.redirect({id, 0}, after);
    infer_again(body, {before, after});
    carried.outer = *first;
    carried.source = before;
    redirect_outputs(sequence->joins_before, before);
    redirect_outputs(sequence->joins_after, after);
    carried.next.outlet = after;
    replace_results(*sequence);
    return true;
  }

  /// Redirects outputs that the draft keeps itself, which a redirection in the body does not reach.
  void redirect_outputs(const std::vector<std::uint32_t>& joins, OutletId wire) {
    const auto is_join = [&](OutletId outlet) {
      return std::find(joins.begin(), joins.end(), outlet.node) != joins.end();
    };
    for (LoopDraft::Entry& entry : draft_.entries)
      if (is_join(entry.next.outlet)) entry.next.outlet = wire;
    for (LoopDraft::Result& result : draft_.results)
      if (is_join(result.part.outlet)) result.part.outlet = wire;
  }

  /// Each join after the loop reads the tensor itself.
  void replace_results(const GrowingSequence& sequence) {
    for (LoopDraft::Result& result : draft_.results)
      result.is_dropped |=
          result.output.kind == LoopOutput::Kind::last && result.entry == sequence.entry;
    for (const std::uint32_t id : sequence.joins_outside)
      draft_.results.push_back({.output = {LoopOutput::Kind::last},
                                .entry = sequence.entry,
                                .part = {},
                                .replaces = {id, 0}});
  }

  const NodeView node_;
  Patch patch_;
  LoopDraft draft_;
};

}  // namespace

/// join(insert(s, x)) of a carried sequence s  ->  Concat(join(s), x) of a carried tensor join(s)
Rewrite sequence_as_tensor(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || !carries_on<SequenceInsert>(*loop)) return no_change;
  return SequenceJoiner(node, *loop).run();
}

}  // namespace strata
