#include <algorithm>

#include "inline_body.h"
#include "passes/loop_draft.h"
#include "passes/loop_edit.h"
#include "passes/own_symbols.h"
#include "passes/passes.h"
#include "passes/reachability.h"

namespace strata {
namespace {

/// Whether one of `wires` is computed from an output of node `ancestor`.
bool depend_on(const TypedModel& model, const OutletIds& wires, std::uint32_t ancestor) {
  NodeList makers;
  for (const OutletId wire : wires) makers.push_back(wire.node);
  return reached(model, makers, Way::to_inputs)[ancestor];
}

/// Joins a loop with a second one that scans what the first stacks.
class LoopFuser {
 public:
  LoopFuser(const NodeView& first, const NodeView& second)
      : first_(first),
        second_(second),
        first_loop_(*first.op().as<Loop>()),
        second_loop_(*second.op().as<Loop>()) {}

  Rewrite run() const {
    if (first_loop_.condition || second_loop_.condition || !has_a_match()) return no_change;
    if (!runs_as_often() || depend_on(second_.model, other_inputs(), first_.id)) return no_change;
    if (share_symbols(own_symbols(first_, {first_loop_.body.get()}),
                      own_symbols(second_, {second_loop_.body.get()})))
      return no_change;
    return fused();
  }

 private:
  OutletId second_outer(std::size_t entry) const {
    return second_.input(entry + second_loop_.has_trip_count);
  }
  OutletId second_source(std::size_t entry) const {
    return second_loop_.body->inputs()[entry + second_loop_.numbered];
  }

  /// The wire of the first body that an entry of the second loop reads part by part.
  std::optional<OutletId> part_read(std::size_t entry) const {
    const LoopInput& input = second_loop_.inputs[entry];
    const OutletId outer = second_outer(entry);
    if (input.kind != LoopInput::Kind::scanned || outer.node != first_.id) return std::nullopt;
    const LoopOutput& output = first_loop_.outputs[outer.slot];
    if (output.kind != LoopOutput::Kind::stacked || output.reversed != input.reversed)
      return std::nullopt;
    const OutletId part =
        first_loop_.body->outputs()[static_cast<std::size_t>(output.index)].outlet;
    const Fact& fact = first_loop_.body->fact(part);
    if (fact.shape.is_open() || !compatible(second_loop_.body->fact(second_source(entry)), fact))
      return std::nullopt;
    const std::size_t axis = normalized_axis(output.axis, fact.shape.rank());
    if (normalized_axis(input.axis, fact.shape.rank()) != axis ||
        fact.shape[axis] != Dim(input.chunk))
      return std::nullopt;
    return part;
  }

  bool has_a_match() const {
    for (std::size_t entry = 0; entry < second_loop_.inputs.size(); ++entry)
      if (part_read(entry)) return true;
    return false;
  }

  /// Whether both run equally often. The second loop reads a slice for each trip of the first, so
  /// only its own trip count and its other scanned inputs could end it earlier.
  bool runs_as_often() const {
    const auto trips = trips_of(first_, first_loop_);
    if (second_loop_.has_trip_count) {
      const bool is_same = first_loop_.has_trip_count && first_.input(0) == second_.input(0);
      if (!is_same && (!trips || trips != trips_of(second_, second_loop_))) return false;
    }
    for (std::size_t entry = 0; entry < second_loop_.inputs.size(); ++entry) {
      const LoopInput& input = second_loop_.inputs[entry];
      if (input.kind != LoopInput::Kind::scanned || part_read(entry)) continue;
      const ShapeFact& shape = second_.model.fact(second_outer(entry)).shape;
      if (!trips || !has_a_slice_each(shape, input, *trips)) return false;
      const Dim& extent = shape[normalized_axis(input.axis, shape.rank())];
      if (floor_div(extent, input.chunk) * Dim(input.chunk) != extent) return false;
    }
    return scans_agree(trips);
  }

  /// Whether all inputs that the fused loop scans have equally many slices, as a Loop requires.
  bool scans_agree(const std::optional<Dim>& trips) const {
    bool has_others = false;
    for (std::size_t entry = 0; entry < second_loop_.inputs.size(); ++entry)
      has_others |=
          second_loop_.inputs[entry].kind == LoopInput::Kind::scanned && !part_read(entry);
    if (!has_others || !first_loop_.has_trip_count) return true;
    Loop uncounted = first_loop_;
    uncounted.has_trip_count = false;
    GatheredFacts facts;
    for (std::size_t i = 1; i < first_.inputs().size(); ++i) facts.add(first_.input_fact(i));
    const auto slices = uncounted.trip_count(facts);
    const bool scans =
        std::any_of(first_loop_.inputs.begin(), first_loop_.inputs.end(),
                    [](const LoopInput& input) { return input.kind == LoopInput::Kind::scanned; });
    return !scans || slices == trips;
  }

  /// What the second loop reads besides the stacks it scans.
  OutletIds other_inputs() const {
    OutletIds out;
    if (second_loop_.has_trip_count) out.push_back(second_.input(0));
    for (std::size_t entry = 0; entry < second_loop_.inputs.size(); ++entry)
      if (!part_read(entry)) out.push_back(second_outer(entry));
    return out;
  }

  Rewrite fused() const {
    LoopDraft draft(first_, first_loop_);
    std::vector<std::size_t> carried;  // entries of the draft
    OutletIds inputs;
    if (second_loop_.numbered) inputs.push_back(draft.numbered_wire());
    for (std::size_t i = 0; i < second_loop_.inputs.size(); ++i) {
      const TypedNode& source = second_loop_.body->node(second_source(i).node);
      const Fact& fact = source.outputs[0].fact;
      if (const auto part = part_read(i)) {
        draft.body.changed().set_fact(*part, meet(draft.body->fact(*part), fact.without_value()));
        inputs.push_back(*part);
        continue;
      }
      const LoopInput& input = second_loop_.inputs[i];
      const std::size_t entry = draft.add_entry(input, second_outer(i), source.name, fact);
      inputs.push_back(draft.entries[entry].source);
      if (input.kind == LoopInput::Kind::carried) carried.push_back(entry);
    }
    const OutletIds outputs =
        BodyInliner(*second_loop_.body).inline_into(draft.body.changed(), inputs, second_.name());
    const auto output = [&](std::size_t i) {
      return GraphOutput{second_loop_.body->outputs()[i].name, outputs[i]};
    };
    for (std::size_t k = 0; k < carried.size(); ++k) draft.entries[carried[k]].next = output(k);
    for (std::size_t i = 0; i < second_loop_.outputs.size(); ++i) {
      const LoopOutput& how = second_loop_.outputs[i];
      const auto index = static_cast<std::size_t>(how.index);
      LoopDraft::Result result{.output = how, .part = {}, .replaces = second_.output(i)};
      if (how.kind == LoopOutput::Kind::last)
        result.entry = carried[index];
      else
        result.part = output(index);
      draft.results.push_back(std::move(result));
    }
    return std::move(draft).finish(Patch(second_));
  }

  const NodeView first_, second_;
  const Loop &first_loop_, &second_loop_;
};

}  // namespace

/// Loop(body2(parts of stack)), stack = Loop(body1)  ->  Loop(body2(body1)), for as many trips,
/// where nothing else of the second loop depends on the first
Rewrite fuse_loops(const NodeView& node, const Limits&) {
  if (!node.op().as<Loop>()) return no_change;
  std::set<std::uint32_t> seen;
  for (const OutletId input : node.inputs()) {
    const NodeView first{node.model, input.node};
    if (!first.op().as<Loop>() || !seen.insert(input.node).second) continue;
    if (Rewrite found = LoopFuser(first, node).run()) return found;
  }
  return no_change;
}

}  // namespace strata
