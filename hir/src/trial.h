#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata::hir {

/// What a node was expanded into when that was tried, so that it need not be worked out once more
/// for good. Its wires are those of the inputs that are there, one after another, then those of the
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
};

/// The last trials of nodes, of those where it is worth while.
struct Trials {
  std::map<std::uint32_t, Trial> by_node;

  const Trial* of(std::uint32_t node) const {
    const auto found = by_node.find(node);
    return found == by_node.end() ? nullptr : &found->second;
  }
};

}  // namespace strata::hir
