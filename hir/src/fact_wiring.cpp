#include "fact_wiring.h"

namespace strata::hir {

void FactWiring::clear() { nodes_.clear(); }

OutletId FactWiring::add(const Fact& fact) {
  nodes_.push_back({&fact, {}});
  return {static_cast<std::uint32_t>(nodes_.size() - 1), 0};
}

const Fact& FactWiring::fact_of(OutletId outlet) const {
  const Made& node = nodes_[outlet.node];
  return node.given ? *node.given : node.facts[outlet.slot];
}

OutletIds FactWiring::wire(std::string_view, TypedOp op, const OutletIds& inputs) {
  SmallVector<const Fact*, 8> in;
  for (const OutletId input : inputs) {
    require(input.node < nodes_.size(), ErrorKind::internal, op.name(),
            " reads a wire that does not exist");
    in.push_back(&fact_of(input));
  }
  nodes_.push_back({nullptr, infer_facts(op, Facts(in), *symbols_)});
  OutletIds outlets;
  for (std::uint32_t slot = 0; slot < nodes_.back().facts.size(); ++slot)
    outlets.push_back({static_cast<std::uint32_t>(nodes_.size() - 1), slot});
  return outlets;
}

}  // namespace strata::hir
