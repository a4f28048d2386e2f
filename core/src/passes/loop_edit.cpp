#include "passes/loop_edit.h"

#include <algorithm>

#include "computable.h"
#include "strata/core/ops/slice.h"

namespace strata {
namespace {

/// `numbers` are in order.
bool contains(const std::vector<std::size_t>& numbers, std::size_t number) {
  return std::binary_search(numbers.begin(), numbers.end(), number);
}

}  // namespace

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

std::map<std::int64_t, std::int64_t> LoopEdit::numbers_of(
    const std::vector<std::size_t>& carried) const {
  std::map<std::int64_t, std::int64_t> numbers;
  std::int64_t next = 0;
  for (std::size_t k = 0; k < carried.size(); ++k)
    if (!contains(dropped_entries_, carried[k]) &&
        loop().inputs[carried[k]].kind == LoopInput::Kind::carried)
      numbers[static_cast<std::int64_t>(k)] = next++;
  return numbers;
}

OutletIds LoopEdit::take_entries(Loop& taken) {
  OutletIds wires, sources;
  if (loop_.has_trip_count) wires.push_back(node_.input(0));
  taken.numbered = loop_.numbered && is_number_kept_;
  if (taken.numbered) sources.push_back(body().inputs()[0]);
  taken.inputs.clear();
  for (std::size_t entry = 0; entry < loop().inputs.size(); ++entry) {
    if (contains(dropped_entries_, entry)) continue;
    taken.inputs.push_back(loop().inputs[entry]);
    wires.push_back(outer(entry));
    sources.push_back(source(entry));
  }
  changed_body().set_inputs(std::move(sources));
  return wires;
}

Patch LoopEdit::finish() && {
  Patch patch = std::move(patch_);
  Loop taken = loop();
  const OutletIds wires = take_entries(taken);
  const std::vector<std::size_t> carried = node_.op().as<Loop>()->carried();
  const auto numbers = numbers_of(carried);
  if (taken.condition) taken.condition = numbers.at(*taken.condition);
  std::vector<GraphOutput> body_outputs;
  body_outputs.reserve(numbers.size());
  for (const auto& [old_number, number] : numbers)
    body_outputs.push_back(body().outputs()[static_cast<std::size_t>(old_number)]);

  std::vector<std::size_t> kept;
  taken.outputs.clear();
  for (std::size_t i = 0; i < loop_.outputs.size(); ++i) {
    LoopOutput output = loop_.outputs[i];
    const auto index = static_cast<std::size_t>(output.index);
    if (contains(dropped_outputs_, i)) continue;
    if (output.kind == LoopOutput::Kind::stacked) {
      output.index = static_cast<std::int64_t>(body_outputs.size());
      body_outputs.push_back(body().outputs()[index]);
    } else if (const auto number = numbers.find(output.index); number != numbers.end()) {
      output.index = number->second;
    } else {
      patch.shunt(node_.output(i), outer(carried[index]));
      continue;
    }
    kept.push_back(i);
    taken.outputs.push_back(output);
  }
  if (kept.empty()) return patch;

  TypedModel& model = changed_body();
  model.set_outputs(std::move(body_outputs));
  model.remove_dead_nodes();
  model.compact();
  taken.body = std::move(body_).take();
  const OutletIds results = patch.wire("", std::move(taken), wires);
  for (std::size_t i = 0; i < kept.size(); ++i) patch.shunt(node_.output(kept[i]), results[i]);
  return patch;
}

}  // namespace strata
