#pragma once

#include <optional>

#include "strata/hir/rules.h"

namespace strata::hir {

/// The container that a side of an equation of types puts its port in; a tensor is none.
inline ValueType::Kind container_of(const Equation::Side& side) {
  return static_cast<ValueType::Kind>(side.number);
}

/// The place of a possibly negative axis, or nothing when it is outside the rank.
std::optional<std::size_t> place_of(std::int64_t axis, const PartialShape& shape);

}  // namespace strata::hir
