#include "fact_wiring.h"

#include <utility>

namespace strata::hir {

void FactWiring::clear() {
  given_.clear();
  parts_.clear();
  first_symbol_ = symbols_->fresh_count();
}

OutletId FactWiring::add(const Fact& fact) {
  given_.push_back(&fact);
  first_symbol_ = symbols_->fresh_count();
  return {static_cast<std::uint32_t>(given_.size() - 1), 0};
}

bool FactWiring::is_worth_keeping() const {
  return parts_.size() > 1 || (parts_.size() == 1 && parts_[0].op.has_bodies());
}

Trial FactWiring::take(const OutletIds& outputs) {
  FactList inputs;
  inputs.reserve(given_.size());
  for (const Fact* fact : given_) inputs.push_back(*fact);
  return {std::move(inputs), std::exchange(parts_, {}), outputs, first_symbol_,
          symbols_->fresh_count()};
}

const Fact& FactWiring::fact_of(OutletId outlet) const {
  if (outlet.node < given_.size()) return *given_[outlet.node];
  return parts_[outlet.node - given_.size()].facts[outlet.slot];
}

OutletIds FactWiring::wire(std::string_view name, TypedOp op, const OutletIds& inputs) {
  const std::size_t id = given_.size() + parts_.size();
  for (const OutletId input : inputs)
    require(input.node < id, ErrorKind::internal, op.name(), " reads a wire that does not exist");
  FactList facts = infer_facts(op, facts_of(inputs), *symbols_);
  OutletIds outlets;
  for (std::uint32_t slot = 0; slot < facts.size(); ++slot)
    outlets.push_back({static_cast<std::uint32_t>(id), slot});
  parts_.push_back({std::string(name), std::move(op), inputs, std::move(facts)});
  return outlets;
}

}  // namespace strata::hir
