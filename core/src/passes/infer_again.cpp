#include "passes/infer_again.h"

#include <algorithm>

namespace strata {

void infer_again(TypedModel& body, const OutletIds& changed) {
  std::vector<bool> is_changed(body.nodes().size(), false);
  for (const OutletId wire : changed) is_changed[wire.node] = true;
  for (const std::uint32_t id : body.order()) {
    const TypedNode& node = body.node(id);
    if (std::ranges::none_of(node.inputs, [&](OutletId in) { return is_changed[in.node]; }))
      continue;
    is_changed[id] = true;
    const FactList now = infer_facts(node.op, body.facts_of(node.inputs), body.symbols());
    for (std::uint32_t slot = 0; slot < now.size(); ++slot)
      body.set_fact({id, slot}, meet(now[slot], body.fact({id, slot})));
  }
}

}  // namespace strata
