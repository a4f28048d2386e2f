#include "passes/reachability.h"

namespace strata {
namespace {

template <class Visit>
void for_each_next(const TypedModel& model, std::uint32_t id, Way way, const Visit& visit) {
  const TypedNode& node = model.node(id);
  if (way == Way::to_inputs) {
    for (const OutletId input : node.inputs) visit(input.node);
  } else {
    for (const auto& outlet : node.outputs)
      for (const InletId reader : outlet.successors) visit(reader.node);
  }
}

}  // namespace

NodeList next_nodes(const TypedModel& model, std::uint32_t id, Way way) {
  NodeList out;
  for_each_next(model, id, way, [&](std::uint32_t next) { out.push_back(next); });
  return out;
}

std::vector<bool> reached(const TypedModel& model, const NodeList& begin, Way way,
                          std::size_t most) {
  std::vector<bool> seen(model.nodes().size(), false);
  NodeList todo;
  const auto add = [&](std::uint32_t id) {
    if (!seen[id]) todo.push_back(id);
    seen[id] = true;
  };
  for (const std::uint32_t id : begin) add(id);
  for (std::size_t visited = 0; !todo.empty(); ++visited) {
    if (visited == most) return std::vector<bool>(seen.size(), true);
    const std::uint32_t id = todo.back();
    todo.pop_back();
    for_each_next(model, id, way, add);
  }
  return seen;
}

}  // namespace strata
