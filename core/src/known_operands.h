#pragma once

#include <optional>
#include <string>

#include "plan.h"
#include "recurring_runners.h"

namespace strata {

/// A node that has no kernel because its operands (axes, sizes, scales and the like) are known only
/// in a run. If they are the same numbers several times in a row, and the other inputs have the
/// same shapes, the node runs as the kernel for these numbers as constants.
class KnownOperands {
 public:
  /// A node of the plan, which outlives this.
  KnownOperands(const TypedNode& node, const Plan& plan);
  ~KnownOperands();
  KnownOperands(KnownOperands&&) noexcept;

  /// The outputs; nothing if the op has to compute them. Throws: run_time, limit, cancelled.
  std::optional<ValueList> run(RunContext& context, Values inputs);
  void release_memory();

 private:
  const TypedNode* node_;
  const Plan* plan_;
  RecurringRunners<std::string> runners_;  ///< by operands, and all shapes
};

}  // namespace strata
