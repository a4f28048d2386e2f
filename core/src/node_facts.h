#pragma once

#include "strata/core/typed_model.h"

namespace strata {

/// The facts of a node's outputs, as a node that takes its place is wired with.
inline FactList facts_of(const TypedNode& node) {
  FactList facts;
  facts.reserve(node.outputs.size());
  for (const auto& outlet : node.outputs) facts.push_back(outlet.fact);
  return facts;
}

}  // namespace strata
