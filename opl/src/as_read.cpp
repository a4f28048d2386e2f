#include "as_read.h"

namespace strata::opl {
namespace {

bool loses_rank(const Fact& known, const Fact& read) {
  return known.is_tensor() && read.is_tensor() && known.shape.is_known() && read.shape.is_open();
}

}  // namespace

TypedModel as_read(const TypedModel& model) {
  TypedModel out = model;
  SymbolScope symbols = model.symbols();
  for (const std::uint32_t id : out.order()) {
    const TypedNode& node = out.node(id);
    if (node.op.as<Source>() || node.op.as<Const>()) continue;
    const FactList read = infer_facts(node.op, out.facts_of(node.inputs), symbols);
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      if (loses_rank(node.outputs[slot].fact, read[slot])) out.set_fact({id, slot}, read[slot]);
  }
  return out;
}

}  // namespace strata::opl
