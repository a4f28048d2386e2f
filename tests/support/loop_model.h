#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/models.h"
#include "support/op_case.h"

/// A model that is one loop, for tests of what comes in and out of it.
namespace strata::tests {

/// A loop over operands that are inputs of the model, or constants where the fact has a value;
/// outputs `read` of it are those of the model.
inline TypedModel model_of(const Loop& loop, const std::vector<Fact>& operands,
                           const std::vector<std::size_t>& read) {
  TypedModel model(loop.body->symbol_scope());
  OutletIds wires;
  for (const Fact& operand : operands) {
    const std::string name = cat("in", wires.size());
    wires.push_back(operand.constant() ? model.constant(name, *operand.value)
                                       : model.add_source(name, operand));
  }
  const OutletIds out = model.wire("loop", loop, wires);
  for (const std::size_t i : read) model.add_output(cat("out", i), out[i]);
  return model;
}

/// The only loop of a model, or null.
inline const Loop* loop_of(const TypedModel& model) {
  for (const TypedNode& node : model.nodes())
    if (!node.erased)
      if (const Loop* loop = node.op.as<Loop>()) return loop;
  return nullptr;
}

/// Whether a node of the model, bodies aside, is such an op.
template <class Op>
bool has_op(const TypedModel& model) {
  return std::any_of(model.nodes().begin(), model.nodes().end(),
                     [](const TypedNode& node) { return !node.erased && node.op.as<Op>(); });
}

/// Limits under which loops stay loops.
inline Limits without_unrolling() {
  Limits limits;
  limits.unroll_nodes = 0;
  return limits;
}

/// Declutters and checks that the outputs stay as they were. Returns how often `rule` fired.
inline std::size_t declutter_and_compare(TypedModel& model, const ValueList& inputs,
                                         const std::string& rule) {
  const ValueList before = run_model(model, inputs);
  const RewriteReport report = declutter(model, without_unrolling());
  check_all_close(run_model(model, inputs), before);
  return firings_of(report, rule);
}

}  // namespace strata::tests
