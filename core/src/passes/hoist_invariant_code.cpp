#include "passes/loop_edit.h"
#include "passes/op_traits.h"
#include "passes/passes.h"

namespace strata {
namespace {

/// Moves what it can of a loop's body before the loop.
class Hoister {
 public:
  Hoister(const NodeView& node, const Loop& loop)
      : edit_(node, loop), body_(*loop.body), hoisted_(body_.nodes().size()) {
    const auto trips = trips_of(node, loop);
    runs_surely_ = trips && node.model.symbols().provably_at_least(*trips, 1);
  }

  Rewrite run() && {
    for (const std::uint32_t id : body_.order()) hoist(id);
    bool changed = false;
    for (std::uint32_t id = 0; id < hoisted_.size(); ++id)
      for (std::uint32_t slot = 0; slot < hoisted_[id].size(); ++slot)
        if (is_read_inside({id, slot})) {
          bring_in({id, slot});
          changed = true;
        }
    if (!changed) return no_change;
    return std::move(edit_).finish();
  }

 private:
  /// A loop may run its body never, so what might fail stays where it is.
  bool may_move(const TypedNode& node) const {
    if (node.op.as<Source>() || node.op.as<Const>() || node.op.is_stateful()) return false;
    return runs_surely_ || never_fails(body_, node);
  }

  std::optional<OutletId> outside(OutletId wire) {
    if (!wire.is_absent() && !hoisted_[wire.node].empty()) return hoisted_[wire.node][wire.slot];
    return edit_.outside(wire);
  }

  void hoist(std::uint32_t id) {
    const TypedNode& node = body_.node(id);
    if (!may_move(node)) return;
    OutletIds inputs;
    bool is_constant = true;
    for (const OutletId input : node.inputs) {
      const auto wire = outside(input);
      if (!wire) return;
      inputs.push_back(*wire);
      is_constant &= body_.node(input.node).op.as<Const>() != nullptr;
    }
    if (!is_constant) hoisted_[id] = edit_.patch().wire(node.name, node.op, inputs);
  }

  bool is_read_inside(OutletId wire) const {
    for (const InletId reader : body_.successors(wire))
      if (hoisted_[reader.node].empty()) return true;
    return body_.is_output(wire);
  }

  void bring_in(OutletId wire) {
    const Fact fact = body_.fact(wire).without_value();
    const OutletId source =
        edit_.add_entry({LoopInput::Kind::invariant}, hoisted_[wire.node][wire.slot],
                        cat(body_.node(wire.node).name, ".before"), fact);
    edit_.changed_body().redirect(wire, source);
  }

  LoopEdit edit_;
  const TypedModel& body_;
  std::vector<OutletIds> hoisted_;  ///< by node of the body, the wires it has outside
  bool runs_surely_ = false;
};

}  // namespace

/// Loop(body(f(x))) -> y = f(x), Loop(body(y)), for invariants x
Rewrite hoist_invariant_code(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  return Hoister(node, *loop).run();
}

}  // namespace strata
