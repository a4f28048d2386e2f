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
  if (edit.next(k) != edit.source(entry) && edit.body().output_fact(k).truth() != true)
    return no_change;
  edit.drop_condition();
  edit.make_constant(entry, *edit.outer_fact(entry).value);
  return std::move(edit).finish();
}

}  // namespace strata
