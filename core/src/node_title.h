#pragma once

#include <string>

#include "strata/core/typed_model.h"

namespace strata {

/// How errors name a node: its op and its name.
inline std::string title_of(const TypedNode& node) {
  return cat(node.op.display_name(), ' ', in_quotes(node.name));
}

}  // namespace strata
