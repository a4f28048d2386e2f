#pragma once

#include <memory>
#include <vector>

#include "trial.h"

namespace strata::hir {

/// A scratch model: ops are wired into it only to learn the facts of their outputs.
class FactWiring final : public Wiring {
 public:
  /// Fresh dims come from `symbols`.
  explicit FactWiring(std::shared_ptr<SymbolScope> symbols) : symbols_(std::move(symbols)) {}

  /// Forgets all wires.
  void clear();
  /// A wire with a fact, which outlives it; before anything is wired.
  OutletId add(const Fact& fact);
  /// Whether keeping what has been wired is cheaper than wiring it again.
  bool is_worth_keeping() const;
  /// Takes what has been wired out of the scratch model, with these outputs.
  Trial take(const OutletIds& outputs);

  const Fact& fact_of(OutletId outlet) const override;
  OutletIds wire(std::string_view name, TypedOp op, const OutletIds& inputs) override;
  const std::shared_ptr<SymbolScope>& symbol_scope() const override { return symbols_; }
  bool needs_names() const override { return false; }

 private:
  std::shared_ptr<SymbolScope> symbols_;
  std::uint64_t first_symbol_ = 0;  ///< after those of the given facts
  std::vector<const Fact*> given_;
  std::vector<Trial::Part> parts_;
};

}  // namespace strata::hir
