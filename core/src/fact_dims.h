#pragma once

#include "strata/core/fact.h"

namespace strata {

/// Calls `visit(dim)` for each size that a fact tells: of shapes, of lengths of sequences, and of
/// what sequences and optionals hold.
template <class Visit>
void for_each_dim(const Fact& fact, const Visit& visit) {
  if (fact.element) for_each_dim(*fact.element, visit);
  if (fact.length) visit(*fact.length);
  if (fact.is_tensor() && fact.shape.is_known())
    for (const Dim& dim : fact.shape.dims()) visit(dim);
}

}  // namespace strata
