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
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ValueList after = run_model(model, inputs[i]);
    REQUIRE(after.size() == before[i].size());
    for (std::size_t k = 0; k < after.size(); ++k) check_close(after[k], before[i][k]);
  }
  model.verify();
  CHECK(declutter(model, without_unrolling()).firings.empty());
  const auto firings = report.firings.find(rule);
  return firings == report.firings.end() ? 0 : firings->second;
}

/// Live nodes of this op, those of bodies left out.
template <class Op>
std::size_t count_of(const TypedModel& model) {
  std::size_t count = 0;
  for (const TypedNode& node : model.nodes()) count += !node.erased && node.op.as<Op>();
  return count;
}

}  // namespace strata::tests
