#include "node_facts.h"

namespace strata {

FactList facts_of(const TypedNode& node) {
  FactList facts;
  facts.reserve(node.outputs.size());
  for (const auto& outlet : node.outputs) facts.push_back(outlet.fact);
  return facts;
}

Fact agreed_fact(std::uint32_t slot, const Fact& said, const Fact& found) {
  try {
    return meet(said, found);
  } catch (const Error&) {
    fail(ErrorKind::invalid_model, "output ", slot, " is ", found.without_value(),
         ", the model says ", said.without_value());
  }
}

}  // namespace strata
