#pragma once

#include <memory>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata::hir {

/// A target to try ops on for the facts of their outputs: nothing else is kept of what is wired.
class FactWiring final : public Wiring {
 public:
  /// Fresh dims come from `symbols`.
  explicit FactWiring(std::shared_ptr<SymbolScope> symbols) : symbols_(std::move(symbols)) {}

  /// Forgets all wires.
  void clear();
  /// A wire with a fact, which outlives it.
  OutletId add(const Fact& fact);

  const Fact& fact_of(OutletId outlet) const override;
  OutletIds wire(std::string_view name, TypedOp op, const OutletIds& inputs) override;
  const std::shared_ptr<SymbolScope>& symbol_scope() const override { return symbols_; }
  bool needs_names() const override { return false; }

 private:
  /// A node, or a wire that was given.
  struct Made {
    const Fact* given;
    FactList facts;
  };
  std::shared_ptr<SymbolScope> symbols_;
  std::vector<Made> nodes_;
};

}  // namespace strata::hir
