#include "passes/infer_again.h"

namespace strata {

void infer_again(TypedModel& body, const OutletIds& changed) {
  std::vector<bool> is_changed(body.nodes().size(), false);
  for (const OutletId wire : changed) is_changed[wire.node] = true;
  for (const std::uint32_t id : body.order()) {
    const TypedNode& node = body.node(id);
    std::vector<const Fact*> in;
    bool is_affected = false;
    for (const OutletId input : node.inputs) {
      in.push_back(&body.fact(input));
      is_affected |= is_changed[input.node];
    }
    if (!is_affected) continue;
    is_changed[id] = true;
    const FactList now = infer_facts(node.op, Facts(in), body.symbols());
    for (std::uint32_t slot = 0; slot < now.size(); ++slot)
      body.set_fact({id, slot}, meet(now[slot], body.fact({id, slot})));
  }
}

}  // namespace strata
