#include <algorithm>
#include <map>

#include "passes/batch_node.h"
#include "passes/input_places.h"
#include "passes/loop_draft.h"
#include "passes/loop_edit.h"
#include "passes/passes.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

/// The nodes of a body between one value of an iteration and a stacked output.
struct Suffix {
  std::size_t result;                ///< the stacked output
  OutletId from;                     ///< the value
  RowForm form;                      ///< of the value
  std::vector<std::uint32_t> nodes;  ///< in the order they are computed
};

/// Bytes of a tensor of known sizes.
std::optional<std::int64_t> bytes_of(const Fact& fact) {
  const auto shape = fact.is_tensor() ? fact.shape.concrete() : std::nullopt;
  if (!shape || is_packed(fact.dtype) || fact.dtype == DatumType::string) return std::nullopt;
  return element_count(*shape) * static_cast<std::int64_t>(bit_width(fact.dtype) / 8);
}

class SuffixBatcher {
 public:
  SuffixBatcher(const NodeView& node, const Loop& loop)
      : node_(node),
        patch_(node),
        draft_(node, loop),
        body_(*loop.body),
        places_(body_),
        numbered_(loop.numbered) {
    for (const LoopDraft::Entry& entry : draft_.entries)
      if (entry.input.kind == LoopInput::Kind::carried) ++uses_[entry.next.outlet];
    for (const LoopDraft::Result& result : draft_.results)
      if (result.output.kind == LoopOutput::Kind::stacked) ++uses_[result.part.outlet];
  }

  Rewrite run() && {
    std::vector<Suffix> found;
    for (std::size_t i = 0; i < draft_.results.size(); ++i)
      if (auto suffix = suffix_of(i)) found.push_back(std::move(*suffix));
    if (found.empty()) return no_change;
    for (const Suffix& suffix : found) stack_value(suffix);
    const std::vector<LoopDraft::Entry> entries = draft_.entries;
    const std::vector<LoopDraft::Result> results = draft_.results;
    OutletIds wires = std::move(draft_).wire_into(patch_);
    for (const Suffix& suffix : found) {
      const auto computed = compute(patch_, entries, suffix, wires[suffix.result]);
      if (!computed) return no_change;
      wires[suffix.result] = *computed;
    }
    for (std::size_t i = 0; i < wires.size(); ++i) patch_.shunt(results[i].replaces, wires[i]);
    return std::move(patch_);
  }

 private:
  bool is_same_in_all(OutletId wire) const {
    if (body_.node(wire.node).op.as<Const>()) return true;
    const auto at = entry_of(wire);
    return at && draft_.entries[*at].input.kind == LoopInput::Kind::invariant;
  }
  std::optional<std::size_t> entry_of(OutletId wire) const {
    const auto place = places_.of(wire);
    return place && *place >= numbered_ ? std::optional(*place - numbered_) : std::nullopt;
  }

  /// How many entries and results take the wire as their output.
  std::size_t uses_as_output(OutletId wire) const {
    const auto uses = uses_.find(wire);
    return uses == uses_.end() ? 0 : uses->second;
  }

  /// The one operand of a node that changes from iteration to iteration.
  std::optional<OutletId> varying(const TypedNode& node) const {
    std::optional<OutletId> found;
    for (const OutletId input : node.inputs) {
      if (is_same_in_all(input)) continue;
      if (found && *found != input) return std::nullopt;
      found = input;
    }
    return found;
  }

  /// Whether only the output that is being followed back depends on the wire.
  bool is_private(OutletId wire, bool is_end) const {
    const auto& readers = body_.successors(wire);
    if (is_end) return readers.empty() && uses_as_output(wire) == 1;
    const auto same_node = [&](const InletId reader) { return reader.node == readers[0].node; };
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), same_node) &&
           uses_as_output(wire) == 0;
  }

  std::optional<Suffix> suffix_of(std::size_t i) {
    const LoopDraft::Result& result = draft_.results[i];
    // Declared sizes are those of the output, and say nothing of the values it is computed from.
    if (result.output.kind != LoopOutput::Kind::stacked || !result.output.declared.empty())
      return std::nullopt;
    const Fact& part = body_.fact(result.part.outlet);
    if (part.shape.is_open() || part.shape.rank() == 0 || part.shape[0] != Dim(1) ||
        normalized_axis(result.output.axis, part.shape.rank()) != 0)
      return std::nullopt;
    return longest(i, followed_back(result.part.outlet));
  }

  /// The nodes before an output, last first, that only it needs and that depend on one value each.
  std::vector<std::uint32_t> followed_back(OutletId wire) const {
    std::vector<std::uint32_t> chain;
    while (is_private(wire, chain.empty())) {
      const TypedNode& node = body_.node(wire.node);
      if (node.op.as<Source>() || node.op.is_stateful() || node.outputs.size() != 1) break;
      const auto next = varying(node);
      if (!next) break;
      chain.push_back(wire.node);
      wire = *next;
    }
    return chain;
  }

  /// The longest end of the chain that can be computed afterwards and does not make more to stack.
  std::optional<Suffix> longest(std::size_t i, std::vector<std::uint32_t> chain) {
    const auto limit = bytes_of(body_.fact(draft_.results[i].part.outlet));
    if (!limit) return std::nullopt;
    for (; !chain.empty(); chain.pop_back()) {
      const OutletId from = *varying(body_.node(chain.back()));
      const auto bytes = bytes_of(body_.fact(from));
      if (!bytes || *bytes > *limit) continue;
      for (const RowForm form : {RowForm::kept, RowForm::squeezed}) {
        const Suffix suffix{i, from, form, {chain.rbegin(), chain.rend()}};
        if (is_worth_it(suffix) && can_compute(suffix)) return suffix;
      }
    }
    return std::nullopt;
  }

  /// Replacing a view by a view gains nothing.
  bool is_worth_it(const Suffix& suffix) const {
    return std::any_of(suffix.nodes.begin(), suffix.nodes.end(),
                       [&](std::uint32_t id) { return !body_.node(id).op.as<Unsqueeze>(); });
  }

  bool can_compute(const Suffix& suffix) const {
    const Fact& value = body_.fact(suffix.from);
    if (suffix.form == RowForm::kept && (value.shape.rank() == 0 || value.shape[0] != Dim(1)))
      return false;
    std::vector<Dim> dims = value.shape.dims();
    if (suffix.form == RowForm::kept)
      dims[0] = 2;
    else
      dims.insert(dims.begin(), Dim(2));
    Patch trial(node_);
    const OutletId whole =
        trial.wire_one("whole", Source{Fact::tensor(value.dtype, std::move(dims))}, {});
    return compute(trial, draft_.entries, suffix, whole).has_value();
  }

  /// The suffix on the values of all iterations; nothing unless its end has the axis of the
  /// iterations in front.
  std::optional<OutletId> compute(Patch& patch, const std::vector<LoopDraft::Entry>& entries,
                                  const Suffix& suffix, OutletId whole) const {
    OutletId value = suffix.from;
    RowForm form = suffix.form;
    for (const std::uint32_t id : suffix.nodes) {
      const TypedNode& node = body_.node(id);
      std::vector<BatchOperand> operands;
      for (const OutletId input : node.inputs)
        operands.push_back(input == value ? BatchOperand{whole, true}
                                          : BatchOperand{outside(patch, entries, input), false});
      const auto result = batch_node(patch, body_, node, operands, form);
      if (!result) return std::nullopt;
      whole = result->wires[0];
      form = result->form;
      value = {id, 0};
    }
    return form == RowForm::kept ? std::optional(whole) : std::nullopt;
  }

  OutletId outside(Patch& patch, const std::vector<LoopDraft::Entry>& entries,
                   OutletId wire) const {
    const TypedNode& node = body_.node(wire.node);
    if (const Const* constant = node.op.as<Const>())
      return patch.constant(node.name, constant->value);
    return entries[*entry_of(wire)].outer;
  }

  void stack_value(const Suffix& suffix) {
    OutletId part = suffix.from;
    if (suffix.form == RowForm::squeezed) {
      const std::string name = cat(draft_.body->node(part.node).name, ".stacked");
      part = with_axis(draft_.body.changed(), draft_.body->unique_name(name), part, 0);
    }
    LoopDraft::Result& result = draft_.results[suffix.result];
    result.part.outlet = part;
    result.output.axis = 0;
  }

  NodeView node_;
  Patch patch_;
  LoopDraft draft_;
  const TypedModel& body_;
  InputPlaces places_;
  std::size_t numbered_;  ///< 1 where the first input of the body is the number of the iteration
  std::map<OutletId, std::size_t> uses_;  ///< as outputs of the body
};

/// Whether each iteration computes something for a stacked output alone.
bool has_own_stack(const Loop& loop) {
  const std::vector<GraphOutput>& parts = loop.body->outputs();
  return std::any_of(loop.outputs.begin(), loop.outputs.end(), [&](const LoopOutput& output) {
    if (output.kind != LoopOutput::Kind::stacked) return false;
    const OutletId part = parts[static_cast<std::size_t>(output.index)].outlet;
    return loop.body->successors(part).empty() &&
           std::count_if(parts.begin(), parts.end(),
                         [&](const GraphOutput& other) { return other.outlet == part; }) == 1;
  });
}

}  // namespace

/// Loop(stacked f(v)) -> x = Loop(stacked v), f(x), for f of products with an invariant matrix,
/// elementwise ops, and ops that move elements within a row, where v is no larger than f(v)
Rewrite batch_suffix(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || !has_own_stack(*loop)) return no_change;
  return SuffixBatcher(node, *loop).run();
}

}  // namespace strata
