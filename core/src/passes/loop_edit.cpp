#include "passes/loop_edit.h"

#include <algorithm>

#include "computable.h"
#include "passes/loop_draft.h"
#include "strata/core/ops/slice.h"

namespace strata {

std::optional<Dim> trips_of(const NodeView& node, const Loop& loop) {
  return loop.trip_count(node.input_facts());
}

bool has_a_slice_each(const ShapeFact& scanned, const LoopInput& scan, const Dim& trips) {
  if (scanned.is_open()) return false;
  const Dim& extent = scanned[normalized_axis(scan.axis, scanned.rank())];
  return if_computable([&] {
    const Dim slices = floor_div(extent, Dim(scan.chunk));
    return slices == trips || max(slices, 0) == trips;
  });
}

OutletId slice_at(Patch& patch, const std::string& name, OutletId data, const LoopInput& scan,
                  std::int64_t begin) {
  const auto integer = [&](std::string_view what, std::int64_t value) {
    return patch.constant(what, Tensor::of<std::int64_t>({1}, {value}));
  };
  return patch.wire_one(name, Slice{},
                        {data, integer("start", begin), integer("end", begin + scan.chunk),
                         integer("axis", scan.axis)});
}

LoopEdit::LoopEdit(const NodeView& node, const Loop& loop)
    : node_(node), loop_(loop), patch_(node), old_entries_(loop.inputs.size()), body_(loop.body) {}

bool LoopEdit::is_read(std::size_t output) const {
  const OutletId wire = node_.output(output);
  return !node_.model.successors(wire).empty() || node_.model.is_output(wire);
}

std::optional<std::size_t> LoopEdit::entry_of(OutletId wire) const {
  if (!places_) places_.emplace(body());
  const auto place = places_->of(wire);
  return place && *place >= loop_.numbered ? std::optional(*place - loop_.numbered) : std::nullopt;
}

bool LoopEdit::is_invariant(OutletId wire) const {
  const auto entry = entry_of(wire);
  return entry && loop().inputs[*entry].kind == LoopInput::Kind::invariant;
}

std::optional<OutletId> LoopEdit::outside(OutletId wire) {
  const TypedNode& node = body().node(wire.node);
  if (const Const* constant = node.op.as<Const>()) {
    const auto at = constants_.find(wire.node);
    if (at != constants_.end()) return at->second;
    return constants_[wire.node] = patch_.constant(node.name, constant->value);
  }
  if (!is_invariant(wire)) return std::nullopt;
  return outer(*entry_of(wire));
}

OutletId LoopEdit::add_entry(const LoopInput& input, OutletId outer, std::string_view name,
                             const Fact& fact) {
  TypedModel& model = changed_body();
  changed_loop().inputs.push_back(input);
  added_.push_back(outer);
  places_.reset();
  return model.add_source(model.unique_name(std::string(name)), fact);
}

void LoopEdit::make_constant(std::size_t entry, const Value& value) {
  TypedModel& model = changed_body();
  const OutletId old = source(entry);
  model.redirect(old, model.constant(cat(model.node(old.node).name, ".value"), value));
  drop_entry(entry);
}

void LoopEdit::make_invariant(std::size_t entry) {
  changed_loop().inputs[entry] = {LoopInput::Kind::invariant};
}

Patch LoopEdit::finish() && {
  Patch patch = std::move(patch_);
  LoopDraft draft(node_, loop_, std::move(body_));
  if (!loop().condition) draft.condition.reset();
  if (!is_number_kept_) draft.number = kAbsent;
  for (std::size_t entry = old_entries_; entry < loop().inputs.size(); ++entry)
    draft.entries.push_back({.input = {},
                             .outer = outer(entry),
                             .source = draft.body->inputs()[entry + loop_.numbered],
                             .next = {}});
  for (std::size_t entry = 0; entry < loop().inputs.size(); ++entry)
    draft.entries[entry].input = loop().inputs[entry];
  for (const std::size_t entry : dropped_entries_) draft.entries[entry].is_dropped = true;
  for (const std::size_t output : dropped_outputs_) draft.results[output].is_dropped = true;
  for (LoopDraft::Result& result : draft.results) {
    if (result.is_dropped || result.output.kind == LoopOutput::Kind::stacked) continue;
    const LoopDraft::Entry& from = draft.entries[result.entry];
    if (!from.is_dropped && from.input.kind == LoopInput::Kind::carried) continue;
    patch.shunt(result.replaces, from.outer);
    result.is_dropped = true;
  }
  if (std::ranges::all_of(draft.results, &LoopDraft::Result::is_dropped)) return patch;
  return std::move(draft).finish(std::move(patch));
}

}  // namespace strata
