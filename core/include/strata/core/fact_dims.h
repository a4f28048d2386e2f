#pragma once

#include <functional>

#include "strata/core/fact.h"

namespace strata {

/// Calls `visit(dim)` for each size that a fact tells: of shapes, of lengths of sequences, and of
/// what sequences and optionals hold.
void for_each_dim(const Fact& fact, const std::function<void(const Dim&)>& visit);

}  // namespace strata
