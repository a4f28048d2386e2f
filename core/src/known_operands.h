#pragma once

#include <optional>
#include <string>

#include "plan.h"
#include "recurring_runners.h"

namespace strata {

/// A node that has no kernel because only the run tells its operands (axes, sizes, scales and the
/// like). Where they are the same numbers again and again, beside other inputs of the same shapes,
/// it runs as the kernel that it has with these operands as constants.
class KnownOperands {
 public:
  /// A node of the plan, which outlives this.
  KnownOperands(const TypedNode& node, const Plan& plan);
  ~KnownOperands();
  KnownOperands(KnownOperands&&) noexcept;

  /// The outputs; nothing where the op is to compute them. Throws: run_time, limit, cancelled.
  std::optional<ValueList> run(RunContext& context, Values inputs);
  void release_memory();

 private:
  const TypedNode* node_;
  const Plan* plan_;
  RecurringRunners<std::string> runners_;  ///< by operands, and all shapes
};

}  // namespace strata
