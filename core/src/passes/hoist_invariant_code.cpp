#include <map>
#include <optional>

#include "passes/loop_draft.h"
#include "passes/loop_edit.h"
#include "passes/op_traits.h"
#include "passes/passes.h"

namespace strata {
namespace {

/// Moves what it can of a loop's body before the loop.
class Hoister {
 public:
  Hoister(const NodeView& node, const Loop& loop)
      : node_(node), loop_(loop), edit_(node, loop), body_(*loop.body) {}

  Rewrite run() && {
    for (const std::uint32_t id : body_.order()) hoist(id);
    bool changed = false;
    for (const auto& [id, wires] : hoisted_)
      for (std::uint32_t slot = 0; slot < wires.size(); ++slot)
        if (is_read_inside({id, slot})) {
          bring_in({id, slot}, wires[slot]);
          changed = true;
        }
    if (!changed) return no_change;
    return std::move(edit_).finish();
  }

 private:
  bool is_constant(OutletId wire) const { return body_.node(wire.node).op.as<Const>() != nullptr; }

  /// Whether all that a node reads is the same in every iteration, and not all of it constant.
  bool is_invariant(const TypedNode& node) const {
    bool is_any_invariant = false;
    for (const OutletId input : node.inputs) {
      if (is_constant(input)) continue;
      if (!hoisted_.contains(input.node) && !edit_.is_invariant(input)) return false;
      is_any_invariant = true;
    }
    return is_any_invariant;
  }

  /// Whether it is safe to run the node before the loop. A loop may never run its body, so a node
  /// that might fail stays.
  bool may_move(const TypedNode& node) {
    if (node.op.is_stateful()) return false;
    if (never_fails(body_, node)) return true;
    if (!runs_surely_) runs_surely_ = runs_surely(node_, loop_);
    return *runs_surely_;
  }

  OutletId outside(OutletId wire) {
    const auto at = hoisted_.find(wire.node);
    return at != hoisted_.end() ? at->second[wire.slot] : *edit_.outside(wire);
  }

  void hoist(std::uint32_t id) {
    const TypedNode& node = body_.node(id);
    if (!is_invariant(node) || !may_move(node)) return;
    OutletIds inputs;
    for (const OutletId input : node.inputs) inputs.push_back(outside(input));
    hoisted_[id] = edit_.patch().wire(node.name, node.op, inputs);
  }

  bool is_read_inside(OutletId wire) const {
    for (const InletId reader : body_.successors(wire))
      if (!hoisted_.contains(reader.node)) return true;
    return body_.is_output(wire);
  }

  void bring_in(OutletId wire, OutletId outer) {
    const Fact fact = body_.fact(wire).without_value();
    const OutletId source = edit_.add_entry({LoopInput::Kind::invariant}, outer,
                                            cat(body_.node(wire.node).name, ".before"), fact);
    edit_.changed_body().redirect(wire, source);
  }

  NodeView node_;
  const Loop& loop_;
  LoopEdit edit_;
  const TypedModel& body_;
  std::map<std::uint32_t, OutletIds> hoisted_;  ///< by node of the body, the wires it has outside
  std::optional<bool> runs_surely_;             ///< computed when first asked for
};

}  // namespace

/// Loop(body(f(x))) -> y = f(x), Loop(body(y)), for invariants x
Rewrite hoist_invariant_code(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  return Hoister(node, *loop).run();
}

}  // namespace strata
