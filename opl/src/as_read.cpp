#include "as_read.h"

namespace strata::opl {
TypedModel as_read(const TypedModel& model) {
  TypedModel out = model;
  SymbolScope symbols = model.symbols();
  for (const std::uint32_t id : out.order()) {
    const TypedNode& node = out.node(id);
    if (node.op.as<Source>() || node.op.as<Const>()) continue;
    FactList read = infer_facts(node.op, out.facts_of(node.inputs), symbols);
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      out.set_fact({id, slot}, std::move(read[slot]));
  }
  return out;
}

}  // namespace strata::opl
