#include "passes/loop_edit.h"
#include "passes/passes.h"

namespace strata {

/// Loop(body(x), constant) -> Loop(body(constant)), for invariants
Rewrite move_constants_in(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  LoopEdit edit(node, *loop);
  bool changed = false;
  for (std::size_t entry = 0; entry < loop->inputs.size(); ++entry) {
    if (loop->inputs[entry].kind != LoopInput::Kind::invariant ||
        !edit.outer_fact(entry).constant())
      continue;
    edit.make_constant(entry, *edit.outer_fact(entry).value);
    changed = true;
  }
  if (!changed) return no_change;
  return std::move(edit).finish();
}

}  // namespace strata
