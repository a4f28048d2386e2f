#pragma once

#include <span>
#include <vector>

#include "strata/core/fact.h"
#include "strata/core/node.h"
#include "strata/core/small_vector.h"

namespace strata {

/// Facts stored in several places, gathered for an op to look at. The facts must outlive this.
class GatheredFacts {
 public:
  GatheredFacts() = default;
  explicit GatheredFacts(const FactList& facts) {
    for (const Fact& fact : facts) add(fact);
  }
  explicit GatheredFacts(const std::vector<Outlet<Fact>>& outlets) {
    for (const auto& outlet : outlets) add(outlet.fact);
  }

  void add(const Fact& fact) { pointers_.push_back(&fact); }
  operator Facts() const { return std::span(pointers_.data(), pointers_.size()); }

 private:
  SmallVector<const Fact*, 8> pointers_;
};

}  // namespace strata
