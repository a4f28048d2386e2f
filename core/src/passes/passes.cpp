#include "passes/passes.h"

namespace strata {

std::span<const RewriteRule> declutter_rules() {
  static constexpr RewriteRule kRules[] = {
      {"materialize_known_values", materialize_known_values},
      {"fold_constants", fold_constants},
      {"inline_constant_if", inline_constant_if},
      {"unroll_loops", unroll_loops},
  };
  return kRules;
}

}  // namespace strata
