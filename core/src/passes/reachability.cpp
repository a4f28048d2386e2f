#include "passes/reachability.h"

namespace strata {

NodeList next_nodes(const TypedModel& model, std::uint32_t id, Way way) {
  NodeList out;
  const TypedNode& node = model.node(id);
  if (way == Way::to_inputs) {
    for (const OutletId input : node.inputs) out.push_back(input.node);
  } else {
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      for (const InletId reader : model.successors({id, slot})) out.push_back(reader.node);
  }
  return out;
}

std::vector<bool> reached(const TypedModel& model, const NodeList& begin, Way way,
                          std::size_t most) {
  std::vector<bool> seen(model.nodes().size(), false);
  NodeList todo;
  const auto add = [&](const NodeList& nodes) {
    for (const std::uint32_t id : nodes) {
      if (!seen[id]) todo.push_back(id);
      seen[id] = true;
    }
  };
  add(begin);
  for (std::size_t visited = 0; !todo.empty(); ++visited) {
    if (visited == most) return std::vector<bool>(seen.size(), true);
    const std::uint32_t id = todo.back();
    todo.pop_back();
    add(next_nodes(model, id, way));
  }
  return seen;
}

}  // namespace strata
