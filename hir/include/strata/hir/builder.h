#pragma once

#include "strata/core/builder.h"

namespace strata::hir {

using strata::Builder;
using strata::part_name;

/// Whether input `i` is there: neither missing at the end nor left out.
inline bool has(const OutletIds& inputs, std::size_t i) {
  return i < inputs.size() && !inputs[i].is_absent();
}
/// The inputs without the absent ones at the end.
OutletIds without_trailing_absent(OutletIds inputs);

}  // namespace strata::hir
