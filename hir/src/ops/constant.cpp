#include "strata/hir/ops/constant.h"

namespace strata::hir {

OutletIds Constant::wire(Builder& b, const OutletIds&) const { return {b.constant(value)}; }

}  // namespace strata::hir
