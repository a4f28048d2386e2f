#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/loop_model.h"

namespace strata::tests {

/// Declutters, and checks that the outputs for each of `inputs` stay as they were and that nothing
/// is left to do. Returns how often `rule` fired.
inline std::size_t firings_of(TypedModel& model, const std::vector<ValueList>& inputs,
                              const std::string& rule) {
  std::vector<ValueList> before;
  for (const ValueList& values : inputs) before.push_back(run_model(model, values));
  const RewriteReport report = declutter(model, without_unrolling());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    check_all_close(run_model(model, inputs[i]), before[i]);
  model.verify();
  CHECK(declutter(model, without_unrolling()).firings.empty());
  return firings_of(report, rule);
}

}  // namespace strata::tests
