#include "passes/passes.h"

namespace strata {

std::span<const RewriteRule> declutter_rules() {
  static constexpr RewriteRule kRules[] = {
      {"materialize_known_values", materialize_known_values},
      {"fold_constants", fold_constants},
      {"inline_constant_if", inline_constant_if},
      {"if_to_select", if_to_select},
      {"zero_trip_loop", zero_trip_loop},
      {"drop_loop_condition", drop_loop_condition},
      {"remove_unused_loop_values", remove_unused_loop_values},
      {"invariant_carried", invariant_carried},
      {"move_constants_in", move_constants_in},
      {"hoist_invariant_code", hoist_invariant_code},
      {"scan_by_counter", scan_by_counter},
      {"batch_prefix", batch_prefix},
      {"unroll_loops", unroll_loops},
  };
  return kRules;
}

}  // namespace strata
