#pragma once

#include <string>
#include <string_view>

#include "strata/core/typed_model.h"

namespace strata {

/// How errors name a node: its op and its name.
inline std::string title_of(const TypedOp& op, std::string_view name) {
  return cat(op.display_name(), ' ', in_quotes(name));
}
inline std::string title_of(const TypedNode& node) { return title_of(node.op, node.name); }

/// Runs `work`, which may change the model, and adds the node to its errors.
template <class Work>
auto naming(const TypedModel& model, std::uint32_t node, const Work& work) {
  try {
    return work();
  } catch (Error& error) {
    throw error.in(title_of(model.node(node)));
  }
}

}  // namespace strata
