#include "passes/passes.h"

namespace strata {

std::span<const RewriteRule> declutter_rules() {
  static constexpr RewriteRule kRules[] = {
      {"materialize_known_values", materialize_known_values},
      {"fold_constants", fold_constants},
      {"sequences_as_wires", sequences_as_wires},
      {"move_transposes", move_transposes},
  };
  return kRules;
}

std::span<const RewriteRule> body_rules() {
  static constexpr RewriteRule kRules[] = {
      {"inline_constant_if", inline_constant_if},
      {"hoist_common_code", hoist_common_code},
      {"merge_nested_ifs", merge_nested_ifs},
      {"if_to_select", if_to_select},
      {"merge_sibling_ifs", merge_sibling_ifs},
      {"zero_trip_loop", zero_trip_loop},
      {"one_trip_loop", one_trip_loop},
      {"drop_loop_condition", drop_loop_condition},
      {"remove_unused_loop_values", remove_unused_loop_values},
      {"invariant_carried", invariant_carried},
      {"move_constants_in", move_constants_in},
      {"hoist_invariant_code", hoist_invariant_code},
      {"while_to_for", while_to_for},
      {"count_trips", count_trips},
      {"scan_by_counter", scan_by_counter},
      {"sequence_as_tensor", sequence_as_tensor},
      {"stack_growing", stack_growing},
      {"sizes_growing_alike", sizes_growing_alike},
      {"batch_prefix", batch_prefix},
      {"fuse_loops", fuse_loops},
      {"batch_suffix", batch_suffix},
      {"unroll_loops", unroll_loops},
  };
  return kRules;
}

}  // namespace strata
