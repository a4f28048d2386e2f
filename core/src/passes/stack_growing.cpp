#include "passes/growing_sequence.h"
#include "passes/passes.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/sequence_insert.h"

namespace strata {
namespace {

/// A part that each iteration adds to what is carried.
struct Growth {
  OutletId part;
  std::size_t axis = 0;
  bool is_prepended = false;
};

/// Turns what grows into stacked outputs.
class GrowthStacker {
 public:
  GrowthStacker(const NodeView& node, const Loop& loop)
      : node_(node), patch_(node), draft_(node, loop), runs_surely_(runs_surely(node, loop)) {}

  Rewrite run() && {
    bool changed = false;
    for (const std::size_t entry : draft_.carried())
      changed |= entry != draft_.condition && (stack_tensor(entry) || stack_sequence(entry));
    if (!changed) return no_change;
    return finish();
  }

 private:
  /// Next = Concat(carried, parts) or Concat(parts, carried), read by nothing else.
  std::optional<Growth> growth_of(std::size_t entry) {
    const OutletId source = draft_.entries[entry].source;
    const OutletId next = draft_.entries[entry].next.outlet;
    const TypedNode& node = draft_.body->node(next.node);
    const Concat* concat = node.op.as<Concat>();
    const auto& readers = draft_.body->successors(source);
    if (!concat || node.inputs.size() < 2 || readers.size() != 1 || readers[0].node != next.node ||
        !draft_.body->successors(next).empty() || draft_.uses_as_output(source) != 0 ||
        draft_.uses_as_output(next) != 1)
      return std::nullopt;
    OutletIds parts = node.inputs;
    const bool is_prepended = parts.back() == source;
    if (!is_prepended && parts.front() != source) return std::nullopt;
    parts.erase(is_prepended ? parts.end() - 1 : parts.begin());
    for (const OutletId part : parts)
      if (draft_.body->fact(part).shape.is_open()) return std::nullopt;
    const std::size_t rank = draft_.body->fact(parts[0]).shape.rank();
    const TypedOp join = *concat;
    const std::string name = cat(node.name, ".part");
    const OutletId part =
        parts.size() == 1 ? parts[0] : draft_.body.changed().wire_one(name, join, parts);
    return Growth{part, normalized_axis(concat->axis, rank), is_prepended};
  }

  /// Whether parts of this shape can be stacked, even if there are none: all parts of a stack must
  /// have the same extent, and the shape of an empty stack must be known.
  bool stacks(const ShapeFact& part, std::size_t axis, const Fact& initial) const {
    if (!part[axis].is_constant()) return false;
    if (runs_surely_) return true;
    if (initial.shape.is_open() || initial.shape.rank() != part.rank()) return false;
    const auto dims = dims_but(part, axis);
    for (const Dim& dim : dims)
      if (!dim.is_constant()) return false;
    return dims == dims_but(initial.shape, axis);
  }

  bool stack_tensor(std::size_t entry) {
    const LoopDraft::Entry& carried = draft_.entries[entry];
    const auto growth = growth_of(entry);
    if (!growth) return false;
    const Fact& initial = node_.model.fact(carried.outer);
    if (!stacks(draft_.body->fact(growth->part).shape, growth->axis, initial)) return false;
    const bool begins_empty = initial.shape.is_known() && initial.shape[growth->axis] == Dim(0);
    const std::size_t results = draft_.results.size();
    for (std::size_t i = 0; i < results; ++i) {
      LoopDraft::Result& result = draft_.results[i];
      if (result.output.kind != LoopOutput::Kind::last || result.entry != entry) continue;
      result.is_dropped = true;
      add_stack(*growth, draft_.results[i].replaces, begins_empty ? kAbsent : carried.outer);
    }
    draft_.entries[entry].is_dropped = true;
    return true;
  }

  bool stack_sequence(std::size_t entry) {
    const auto sequence = growing_sequence(node_.model, draft_, entry);
    if (!sequence || !sequence->joins_before.empty() || !sequence->joins_after.empty() ||
        sequence->joins_outside.empty())
      return false;
    const OutletId outer = draft_.entries[entry].outer;
    const Fact item = draft_.body->fact(sequence->item);
    for (const std::uint32_t id : sequence->joins_outside)
      if (!joins_as_stack(id, item, node_.model.fact(outer))) return false;
    for (const std::uint32_t id : sequence->joins_outside) {
      const ConcatFromSequence& join = join_of(id);
      const JoinedItem how = *joined_item(join, item);
      const OutletId part = joined_wire(draft_.body.changed(), how, sequence->item);
      const OutletId initial =
          sequence->begins_empty ? kAbsent : patch_.wire_one("initial", join, {outer});
      add_stack({part, how.axis, sequence->is_prepended}, {id, 0}, initial);
    }
    for (LoopDraft::Result& result : draft_.results)
      result.is_dropped |= result.output.kind == LoopOutput::Kind::last && result.entry == entry;
    draft_.entries[entry].is_dropped = true;
    return true;
  }

  const ConcatFromSequence& join_of(std::uint32_t id) const {
    return *node_.model.node(id).op.as<ConcatFromSequence>();
  }

  /// Joining a sequence that is still empty after the loop is an error, so an empty stack may have
  /// any shape then. A sequence that does not begin empty is joined before the loop.
  bool joins_as_stack(std::uint32_t id, const Fact& item, const Fact& initial) const {
    const auto how = joined_item(join_of(id), item);
    if (!how || !how->shape[how->axis].is_constant()) return false;
    if (initial.length == Dim(0)) return true;
    if (!initial.length || !node_.model.symbols().provably_at_least(*initial.length, 1))
      return false;
    const auto first = joined_item(join_of(id), *initial.element);
    return first && stacks(how->shape, how->axis, Fact::tensor(item.dtype, first->shape));
  }

  /// Adds a stack that, joined after the initial value, replaces `replaced`.
  void add_stack(const Growth& growth, OutletId replaced, OutletId initial) {
    const auto axis = static_cast<std::int64_t>(growth.axis);
    const std::string& name = draft_.body->node(growth.part.node).name;
    draft_.results.push_back({.output = {LoopOutput::Kind::stacked, 0, axis, growth.is_prepended},
                              .part = {name, growth.part},
                              .replaces = replaced});
    initials_.resize(draft_.results.size(), kAbsent);
    initials_.back() = initial;
  }

  Rewrite finish() {
    const std::vector<LoopDraft::Result> results = draft_.results;
    initials_.resize(results.size(), kAbsent);
    const OutletIds wires = std::move(draft_).wire_into(patch_);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].is_dropped) continue;
      OutletId wire = wires[i];
      const LoopOutput& output = results[i].output;
      if (!initials_[i].is_absent()) {
        OutletIds parts{initials_[i], wire};
        if (output.reversed) std::swap(parts[0], parts[1]);
        wire = patch_.wire_one("grown", Concat{output.axis}, parts);
      }
      patch_.shunt(results[i].replaces, wire);
    }
    return std::move(patch_);
  }

  const NodeView node_;
  Patch patch_;
  LoopDraft draft_;
  bool runs_surely_;
  OutletIds initials_;  ///< by result: the initial value before a stack, or absent
};

}  // namespace

/// last c of Loop(c = Concat(c, part))  ->  Concat(c, stack of Loop(part)), and the same of a
/// sequence that grows by part and is joined after the loop
Rewrite stack_growing(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || !carries_on<Concat, SequenceInsert>(*loop)) return no_change;
  return GrowthStacker(node, *loop).run();
}

}  // namespace strata
