#include "passes/growing_sequence.h"

#include <algorithm>

#include "strata/core/only_number.h"
#include "strata/core/ops/sequence_insert.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

/// Adds the readers of `wire` to `joins`. Returns whether all of them but node `insert` join it.
bool are_joins(const TypedModel& model, OutletId wire, std::optional<std::uint32_t> insert,
               std::vector<std::uint32_t>& joins) {
  for (const InletId reader : model.successors(wire)) {
    if (insert == reader.node && reader.slot == 0) continue;
    if (!model.node(reader.node).op.as<ConcatFromSequence>()) return false;
    joins.push_back(reader.node);
  }
  return true;
}

/// Whether an insertion puts the item before all others; nothing where that is neither so nor at
/// the end.
std::optional<bool> prepends(const TypedModel& body, const TypedNode& insert) {
  if (insert.inputs.size() < 3) return false;
  if (only_integer(body.fact(insert.inputs[2])) == 0) return true;
  return std::nullopt;
}

}  // namespace

std::optional<GrowingSequence> growing_sequence(const TypedModel& model, const LoopDraft& draft,
                                                std::size_t entry) {
  const LoopDraft::Entry& carried = draft.entries[entry];
  const OutletId grown = carried.next.outlet;
  const TypedNode& insert = draft.body->node(grown.node);
  if (!insert.op.as<SequenceInsert>() || insert.inputs[0] != carried.source) return std::nullopt;
  if (draft.uses_as_output(carried.source) != 0 || draft.uses_as_output(grown) != 1)
    return std::nullopt;
  const auto is_prepended = prepends(*draft.body, insert);
  if (!is_prepended) return std::nullopt;
  GrowingSequence out{.entry = entry,
                      .item = insert.inputs[1],
                      .is_prepended = *is_prepended,
                      .joins_before = {},
                      .joins_after = {},
                      .joins_outside = {}};
  if (!are_joins(*draft.body, carried.source, grown.node, out.joins_before) ||
      !are_joins(*draft.body, grown, std::nullopt, out.joins_after))
    return std::nullopt;
  for (const LoopDraft::Result& result : draft.results) {
    if (result.output.kind != LoopOutput::Kind::last || result.entry != entry) continue;
    if (model.is_output(result.replaces) ||
        !are_joins(model, result.replaces, std::nullopt, out.joins_outside))
      return std::nullopt;
  }
  out.begins_empty = model.fact(carried.outer).length == Dim(0);
  return out;
}

std::optional<JoinedItem> joined_item(const ConcatFromSequence& join, const Fact& item) {
  if (!item.is_tensor() || item.shape.is_open()) return std::nullopt;
  std::vector<Dim> dims = item.shape.dims();
  const bool is_new = join.join == SequenceJoin::new_axis;
  const std::size_t axis = normalized_axis(join.axis, dims.size() + is_new);
  if (is_new) dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return JoinedItem{axis, join.join, std::move(dims)};
}

OutletId joined_wire(TypedModel& body, const JoinedItem& how, OutletId item) {
  if (how.join == SequenceJoin::existing_axis) return item;
  const std::string name = body.node(item.node).name;
  const OutletId axes =
      body.constant(body.unique_name(cat(name, ".axes")),
                    Tensor::of<std::int64_t>({1}, {static_cast<std::int64_t>(how.axis)}));
  return body.wire_one(body.unique_name(cat(name, ".part")), Unsqueeze{}, {item, axes});
}

}  // namespace strata
