#include "strata/hir/builder.h"

namespace strata::hir {

OutletIds without_trailing_absent(OutletIds inputs) {
  while (!inputs.empty() && inputs.back().is_absent()) inputs.pop_back();
  return inputs;
}

}  // namespace strata::hir
