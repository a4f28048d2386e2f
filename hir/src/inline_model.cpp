#include "inline_model.h"

#include "strata/core/wire_map.h"

namespace strata::hir {

OutletIds inline_model(Builder& b, const TypedModel& model, const OutletIds& inputs,
                       std::string_view prefix) {
  WireMap wires(model.nodes().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) wires.set(model.inputs()[i].node, {inputs[i]});
  return copy_nodes(model, wires, [&](std::uint32_t id, const OutletIds& in) {
    const TypedNode& node = model.node(id);
    return b.target().wire(cat(b.name(), '.', prefix, '.', node.name), node.op, in);
  });
}

}  // namespace strata::hir
