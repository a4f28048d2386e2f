#include "inline_body.h"

namespace strata {

OutletIds BodyInliner::inline_into(Wiring& target, const OutletIds& inputs,
                                   const std::string& prefix) {
  std::vector<OutletIds> wires(body_.nodes().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) wires[body_.inputs()[i].node] = {inputs[i]};
  for (const std::uint32_t id : order_) {
    const TypedNode& node = body_.node(id);
    if (node.op.as<Source>()) continue;
    if (const Const* constant = node.op.as<Const>()) {
      auto at = constants_.find(id);
      if (at == constants_.end())
        at = constants_.emplace(id, target.constant(node.name, constant->value)).first;
      wires[id] = {at->second};
      continue;
    }
    OutletIds in;
    for (const OutletId input : node.inputs) in.push_back(wires[input.node][input.slot]);
    wires[id] = target.wire(cat(prefix, '.', node.name), node.op, in);
  }
  OutletIds out;
  for (const GraphOutput& output : body_.outputs())
    out.push_back(wires[output.outlet.node][output.outlet.slot]);
  return out;
}

}  // namespace strata
