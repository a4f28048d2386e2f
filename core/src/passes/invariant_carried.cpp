#include "passes/loop_edit.h"
#include "passes/passes.h"

namespace strata {

/// A carried value that every iteration passes on as it is -> an invariant
Rewrite invariant_carried(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  LoopEdit edit(node, *loop);
  const std::vector<std::size_t> carried = loop->carried();
  bool changed = false;
  for (std::size_t k = 0; k < carried.size(); ++k) {
    if (loop->condition == static_cast<std::int64_t>(k) || edit.next(k) != edit.source(carried[k]))
      continue;
    edit.make_invariant(carried[k]);
    changed = true;
  }
  if (!changed) return no_change;
  return std::move(edit).finish();
}

}  // namespace strata
