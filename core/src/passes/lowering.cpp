#include "passes/lowering.h"

namespace strata {

std::span<const LoweringRule> lowering_rules() { return {}; }

}  // namespace strata
