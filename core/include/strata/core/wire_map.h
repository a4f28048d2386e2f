#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata {

/// The copies of the wires of a graph that is copied into another: for each node, in the order of
/// its outputs.
class WireMap {
 public:
  /// For a graph of so many nodes, erased ones included.
  explicit WireMap(std::size_t nodes) : copies_(nodes) {}

  void set(std::uint32_t node, OutletIds copies) { copies_[node] = std::move(copies); }
  /// The copy of a wire whose node was set; what is absent stays so.
  OutletId operator[](OutletId wire) const {
    return wire.is_absent() ? kAbsent : copies_[wire.node][wire.slot];
  }
  OutletIds operator[](const OutletIds& wires) const {
    OutletIds out;
    for (const OutletId wire : wires) out.push_back((*this)[wire]);
    return out;
  }

 private:
  std::vector<OutletIds> copies_;
};

/// Copies the nodes of a graph in order, the copies of whose inputs `wires` has: `copy(id, inputs)`
/// makes those of a node's outputs of those of its inputs. Returns the copies of the graph's
/// outputs.
template <class Copy>
OutletIds copy_nodes(const TypedModel& model, WireMap& wires, Copy&& copy) {
  for (const std::uint32_t id : model.order()) {
    const TypedNode& node = model.node(id);
    if (!node.op.as<Source>()) wires.set(id, copy(id, wires[node.inputs]));
  }
  OutletIds outputs;
  for (const GraphOutput& output : model.outputs()) outputs.push_back(wires[output.outlet]);
  return outputs;
}

/// Makes the copies of a graph's outputs those of its copy, by the same names.
inline void add_outputs(TypedModel& copy, const TypedModel& model, const OutletIds& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    copy.add_output(model.outputs()[i].name, outputs[i]);
}

}  // namespace strata
