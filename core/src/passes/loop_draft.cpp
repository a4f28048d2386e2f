#include "passes/loop_draft.h"

#include <algorithm>
#include <set>

#include "passes/loop_edit.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"

namespace strata {
namespace {

/// The outputs of a body, each of its own name.
class NamedOutputs {
 public:
  /// Returns the number of the output.
  std::int64_t add(GraphOutput output) {
    const std::string base = output.name;
    for (std::size_t i = 1; !names_.insert(output.name).second; ++i)
      output.name = cat(base, '.', i);
    outputs_.push_back(std::move(output));
    return static_cast<std::int64_t>(outputs_.size()) - 1;
  }
  std::vector<GraphOutput> take() && { return std::move(outputs_); }

 private:
  std::vector<GraphOutput> outputs_;
  std::set<std::string> names_;
};

}  // namespace

LoopDraft::LoopDraft(const NodeView& node, const Loop& loop, BodyDraft changed_body)
    : body(std::move(changed_body)) {
  if (loop.has_trip_count) trip_count = node.input(0);
  if (loop.numbered) number = body->inputs()[0];
  for (std::size_t i = 0; i < loop.inputs.size(); ++i)
    entries.push_back({.input = loop.inputs[i],
                       .outer = node.input(i + loop.has_trip_count),
                       .source = body->inputs()[i + loop.numbered],
                       .next = {}});
  const std::vector<std::size_t> numbers = carried();
  for (std::size_t k = 0; k < numbers.size(); ++k) entries[numbers[k]].next = body->outputs()[k];
  if (loop.condition) condition = numbers[static_cast<std::size_t>(*loop.condition)];
  for (std::size_t i = 0; i < loop.outputs.size(); ++i) {
    const LoopOutput& output = loop.outputs[i];
    const auto index = static_cast<std::size_t>(output.index);
    Result result{.output = output, .part = {}, .replaces = node.output(i)};
    if (output.kind == LoopOutput::Kind::last)
      result.entry = numbers[index];
    else
      result.part = body->outputs()[index];
    results.push_back(std::move(result));
  }
}

std::vector<std::size_t> LoopDraft::carried() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].input.kind == LoopInput::Kind::carried && !entries[i].is_dropped)
      out.push_back(i);
  return out;
}

std::size_t LoopDraft::uses_as_output(OutletId wire) const {
  std::size_t uses = 0;
  for (const Entry& entry : entries)
    uses += entry.input.kind == LoopInput::Kind::carried && !entry.is_dropped &&
            entry.next.outlet == wire;
  for (const Result& result : results)
    uses += result.output.kind == LoopOutput::Kind::stacked && !result.is_dropped &&
            result.part.outlet == wire;
  return uses;
}

std::size_t LoopDraft::add_entry(const LoopInput& input, OutletId outer, const std::string& name,
                                 const Fact& fact) {
  if (input.kind != LoopInput::Kind::carried)
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].input == input && entries[i].outer == outer && !entries[i].is_dropped)
        return i;
  TypedModel& model = body.changed();
  const OutletId source = model.add_source(model.unique_name(name), fact);
  entries.push_back({.input = input, .outer = outer, .source = source, .next = {}});
  return entries.size() - 1;
}

OutletId LoopDraft::numbered_wire() {
  if (number.is_absent()) {
    TypedModel& model = body.changed();
    number = model.add_source(model.unique_name("number"), Fact::tensor(DatumType::i64, Shape{}));
  }
  return number;
}

bool LoopDraft::may_end_by_count() const {
  const bool has_equal_parts = std::ranges::all_of(results, [&](const Result& result) {
    if (result.output.kind != LoopOutput::Kind::stacked) return true;
    const ShapeFact& shape = body->fact(result.part.outlet).shape;
    return !shape.is_open() &&
           shape[normalized_axis(result.output.axis, shape.rank())].is_constant();
  });
  return has_equal_parts && std::ranges::none_of(entries, [](const Entry& entry) {
           return entry.input.kind == LoopInput::Kind::scanned && entry.input.reversed;
         });
}

void LoopDraft::end_by_count(Patch& patch, OutletId trips) {
  if (!trip_count.is_absent()) {
    const bool is_wide = patch.fact_of(trip_count).dtype == DatumType::i64;
    const OutletId most =
        is_wide ? trip_count : patch.wire_one("wide", Cast{DatumType::i64}, {trip_count});
    trips = patch.wire_one("trips", Binary{BinaryOp::min}, {most, trips});
  }
  trip_count = trips;
  condition.reset();
}

OutletIds LoopDraft::wire_into(Patch& patch) && {
  Loop loop;
  OutletIds wires, sources;
  NamedOutputs outputs;
  loop.has_trip_count = !trip_count.is_absent();
  if (loop.has_trip_count) wires.push_back(trip_count);
  loop.numbered = !number.is_absent();
  if (loop.numbered) sources.push_back(number);
  std::vector<std::int64_t> carried_number(entries.size(), 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (entry.is_dropped) continue;
    loop.inputs.push_back(entry.input);
    wires.push_back(entry.outer);
    sources.push_back(entry.source);
    if (entry.input.kind == LoopInput::Kind::carried) carried_number[i] = outputs.add(entry.next);
  }
  if (condition) loop.condition = carried_number[*condition];
  for (const Result& result : results) {
    if (result.is_dropped) continue;
    const bool is_last = result.output.kind == LoopOutput::Kind::last;
    loop.outputs.push_back(result.output);
    loop.outputs.back().index = is_last ? carried_number[result.entry] : outputs.add(result.part);
  }
  TypedModel& model = body.changed();
  model.set_inputs(std::move(sources));
  model.set_outputs(std::move(outputs).take());
  model.remove_dead_nodes();
  model.compact();
  loop.body = std::move(body).take();
  const OutletIds wired = patch.wire("", loop, wires);
  OutletIds out;
  std::size_t next = 0;
  for (const Result& result : results) out.push_back(result.is_dropped ? kAbsent : wired[next++]);
  return out;
}

Patch LoopDraft::finish(Patch patch) && {
  const std::vector<Result> replaced = results;
  const OutletIds wires = std::move(*this).wire_into(patch);
  for (std::size_t i = 0; i < wires.size(); ++i)
    if (!wires[i].is_absent()) patch.shunt(replaced[i].replaces, wires[i]);
  return patch;
}

bool runs_surely(const NodeView& node, const Loop& loop) {
  const auto trips = trips_of(node, loop);
  return trips && node.model.symbols().provably_at_least(*trips, 1);
}

std::vector<Dim> dims_but(const ShapeFact& shape, std::size_t axis) {
  std::vector<Dim> dims = shape.dims();
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  return dims;
}

}  // namespace strata
