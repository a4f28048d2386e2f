#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata::hir {

/// The expansion of a node that analysis tried, kept so that `to_typed` need not repeat it. In its
/// wires, nodes from 0 on stand for the inputs that are present, and the nodes after them for its
/// parts.
struct Trial {
  struct Part {
    std::string name;  ///< empty for one that `name_parts` names
    TypedOp op;
    OutletIds inputs;
    FactList facts;
  };
  FactList inputs;
  std::vector<Part> parts;
  OutletIds outputs;
  /// Fresh symbols that it may mention are those from `first_symbol` to before `end_symbol`.
  std::uint64_t first_symbol = 0;
  std::uint64_t end_symbol = 0;

  /// Its `wires` in a model where `given` are the inputs and the parts are nodes from `first` on.
  OutletIds placed(const OutletIds& wires, const OutletIds& given, std::uint32_t first) const {
    const auto count = static_cast<std::uint32_t>(inputs.size());
    OutletIds out = wires;
    for (OutletId& wire : out)
      if (!wire.is_absent())
        wire =
            wire.node < count ? given[wire.node] : OutletId{wire.node - count + first, wire.slot};
    return out;
  }
};

/// The last trial of each node for which keeping it is worth the memory.
struct Trials {
  std::map<std::uint32_t, Trial> by_node;

  const Trial* of(std::uint32_t node) const {
    const auto found = by_node.find(node);
    return found == by_node.end() ? nullptr : &found->second;
  }
};

}  // namespace strata::hir
