#include "passes/loop_edit.h"
#include "passes/passes.h"

namespace strata {

/// Loop while c, where c begins true and each iteration gives true or c itself -> Loop
Rewrite drop_loop_condition(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || !loop->condition) return no_change;
  LoopEdit edit(node, *loop);
  const auto k = static_cast<std::size_t>(*loop->condition);
  const std::size_t entry = loop->carried()[k];
  if (edit.outer_fact(entry).truth() != true) return no_change;
  const Fact& before = edit.outer_fact(entry);
  const Fact& after = edit.body().output_fact(k);
  const bool passes_on = edit.next(k) == edit.source(entry);
  if (!passes_on && after.truth() != true) return no_change;
  edit.drop_condition();
  // Its one element stays the same; its shape may not.
  if (passes_on || after.shape == before.shape) edit.make_constant(entry, *before.value);
  return std::move(edit).finish();
}

}  // namespace strata
