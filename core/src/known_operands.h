#pragma once

#include <memory>
#include <optional>
#include <string>

#include "plan.h"

namespace strata {

class Runner;

/// A node that has no kernel because only the run tells its operands (axes, sizes, scales and the like).
/// Where they are the same numbers again and again, beside other inputs of the same shapes, it runs as
/// the kernel that it has with these operands as constants.
class KnownOperands {
 public:
  /// The node outlives this.
  KnownOperands(const TypedNode& node, const Limits& limits);
  ~KnownOperands();
  KnownOperands(KnownOperands&&) noexcept;

  /// The outputs; nothing where the op is to compute them. Throws: run_time, limit, cancelled.
  std::optional<ValueList> run(RunContext& context, Values inputs);

 private:
  Runner* find(Values inputs);

  struct Entry {
    std::string key;                 ///< operands, and all shapes
    std::unique_ptr<Runner> runner;  ///< null where there is no kernel
  };

  const TypedNode* node_;
  Limits limits_;
  std::vector<Entry> entries_;
  std::string last_;  ///< the key of the last run
  int runs_ = 0;      ///< in a row with that key
};

}  // namespace strata
