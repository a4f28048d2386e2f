#pragma once

#include <string_view>

#include "strata/core/session.h"

namespace strata::tests {

/// Counts how often nodes of an op run.
class NodeCounter : public RunObserver {
 public:
  explicit NodeCounter(std::string_view op) : op_(op) {}
  void begin(const TypedNode& node) override { count += node.op.name() == op_ ? 1 : 0; }
  void end(const TypedNode&, std::span<const TensorView>,
           std::span<const MutableTensorView>) override {}
  void iteration() override {}
  int count = 0;

 private:
  std::string_view op_;
};

inline ValueList run(Session& session, const ValueList& inputs, RunObserver& observer) {
  RunContext context({}, CancelToken(), nullptr, &observer);
  return session.run(context, inputs);
}

}  // namespace strata::tests
