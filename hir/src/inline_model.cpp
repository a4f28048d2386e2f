#include "inline_model.h"

#include "strata/core/wire_map.h"

namespace strata::hir {

OutletIds inline_model(Builder& b, const TypedModel& model, const OutletIds& inputs,
                       std::string_view prefix) {
  WireMap wires(model.nodes().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) wires.set(model.inputs()[i].node, {inputs[i]});
  for (const std::uint32_t id : model.order()) {
    const TypedNode& node = model.node(id);
    if (node.op.as<strata::Source>()) continue;
    const std::string name = cat(b.name(), '.', prefix, '.', node.name);
    wires.set(id, b.target().wire(name, node.op, wires[node.inputs]));
  }
  OutletIds out;
  for (const GraphOutput& output : model.outputs()) out.push_back(wires[output.outlet]);
  return out;
}

}  // namespace strata::hir
