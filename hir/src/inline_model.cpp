#include "inline_model.h"

namespace strata::hir {

OutletIds inline_model(Builder& b, const TypedModel& model, const OutletIds& inputs,
                       std::string_view prefix) {
  std::vector<OutletIds> wires(model.nodes().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) wires[model.inputs()[i].node] = {inputs[i]};
  for (const std::uint32_t id : model.order()) {
    const TypedNode& node = model.node(id);
    if (node.op.as<strata::Source>()) continue;
    OutletIds in;
    for (const OutletId input : node.inputs)
      in.push_back(input.is_absent() ? input : wires[input.node][input.slot]);
    wires[id] = b.target().wire(cat(b.name(), '.', prefix, '.', node.name), node.op, in);
  }
  OutletIds out;
  for (const GraphOutput& output : model.outputs())
    out.push_back(wires[output.outlet.node][output.outlet.slot]);
  return out;
}

}  // namespace strata::hir
