#include <algorithm>

#include "passes/loop_draft.h"
#include "passes/passes.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// What decides whether a loop goes on is at most so many nodes, of at most so many elements each.
constexpr std::size_t kMostNodes = 64;
constexpr std::int64_t kMostElements = 16;
/// Iterations that are tried.
constexpr std::int64_t kMostTrips = 64;

bool is_small(const Fact& fact) {
  const auto shape = fact.is_tensor() ? fact.shape.concrete() : std::nullopt;
  return shape && product(*shape) <= kMostElements;
}

/// The nodes of a body that compute the condition, where these read nothing but constants, the
/// number of the iteration and carried values of their own, which begin as constants.
class Deciders {
 public:
  Deciders(const NodeView& node, const LoopDraft& draft)
      : node_(node), draft_(draft), values_(draft.body->nodes().size()) {}

  /// After how many iterations the condition is false; nothing if that is not known, or not after
  /// a few.
  std::optional<std::int64_t> trips() {
    if (!find()) return std::nullopt;
    const OutletId condition = draft_.entries[*draft_.condition].next.outlet;
    for (std::int64_t n = 0; n < kMostTrips; ++n) {
      compute(n);
      const auto goes_on = Fact::of(value_of(condition)).truth();
      if (!goes_on) return std::nullopt;  // several elements, which the run refuses
      if (!*goes_on) return n + 1;
      go_on();
    }
    return std::nullopt;
  }

 private:
  bool find() {
    std::vector<std::uint32_t> open{draft_.entries[*draft_.condition].next.outlet.node};
    std::vector<bool> is_found(values_.size());
    std::size_t found = 0;
    while (!open.empty()) {
      const std::uint32_t id = open.back();
      open.pop_back();
      if (is_found[id]) continue;
      is_found[id] = true;
      if (++found > kMostNodes || !add(id, open)) return false;
    }
    for (const std::uint32_t id : draft_.body->order())
      if (is_found[id] && !is_given(id)) order_.push_back(id);
    return true;
  }

  bool is_given(std::uint32_t id) const {
    const TypedOp& op = draft_.body->node(id).op;
    return op.as<Source>() || op.as<Const>();
  }

  /// Adds what the node reads to those still to be found. Returns false if it is no such node.
  bool add(std::uint32_t id, std::vector<std::uint32_t>& open) {
    const TypedNode& node = draft_.body->node(id);
    if (const Const* constant = node.op.as<Const>()) {
      values_[id] = ValueList(1, *constant->value);
      return true;
    }
    if (node.op.as<Source>()) return OutletId{id, 0} == draft_.number || add_state(id, open);
    for (const OutletId in : node.inputs) open.push_back(in.node);
    return !node.op.is_stateful() && node.op.bodies().empty() &&
           std::ranges::all_of(node.outputs, [](const auto& out) { return is_small(out.fact); });
  }

  bool add_state(std::uint32_t source, std::vector<std::uint32_t>& open) {
    const auto entry =
        std::ranges::find(draft_.entries, OutletId{source, 0}, &LoopDraft::Entry::source);
    if (entry == draft_.entries.end() || entry->input.kind != LoopInput::Kind::carried)
      return false;
    const Fact& first = node_.model.fact(entry->outer);
    if (!first.constant() || !is_small(first)) return false;
    values_[source] = ValueList(1, *first.value);
    states_.push_back(&*entry);
    open.push_back(entry->next.outlet.node);
    return true;
  }

  const Value& value_of(OutletId wire) const { return values_[wire.node][wire.slot]; }

  void compute(std::int64_t n) {
    if (!draft_.number.is_absent()) values_[draft_.number.node] = ValueList(1, Tensor::scalar(n));
    for (const std::uint32_t id : order_) {
      const TypedNode& node = draft_.body->node(id);
      ValueList in;
      for (const OutletId wire : node.inputs) in.push_back(value_of(wire));
      values_[id] = node.op.eval(in);
    }
  }

  void go_on() {
    ValueList next;
    for (const LoopDraft::Entry* state : states_) next.push_back(value_of(state->next.outlet));
    for (std::size_t i = 0; i < states_.size(); ++i)
      values_[states_[i]->source.node] = ValueList(1, next[i]);
  }

  const NodeView& node_;
  const LoopDraft& draft_;
  std::vector<ValueList> values_;  ///< by node of the body
  std::vector<std::uint32_t> order_;
  std::vector<const LoopDraft::Entry*> states_;
};

}  // namespace

/// Loop while c, where c begins true and follows from constants and the number of the iteration ->
/// Loop of as many trips as that takes, for up to 64
Rewrite count_trips(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || !loop->condition) return no_change;
  LoopDraft draft(node, *loop);
  const OutletId first = draft.entries[*draft.condition].outer;
  if (!draft.may_end_by_count() || node.model.fact(first).truth() != true) return no_change;
  try {
    const auto trips = Deciders(node, draft).trips();
    if (!trips) return no_change;
    Patch patch(node);
    draft.end_by_count(patch, patch.constant("trips", Tensor::scalar(*trips)));
    return std::move(draft).finish(std::move(patch));
  } catch (const Error&) {
    return no_change;  // whatever fails does so in a run, if it comes to that
  }
}

}  // namespace strata
