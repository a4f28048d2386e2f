#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "strata/core/limits.h"
#include "strata/core/value.h"

namespace strata {

class TypedModel;
class Plan;

/// What one run may still spend; shared by a session and the sessions of the bodies in it.
class RunContext {
 public:
  RunContext(const Limits& limits, CancelToken token);

  /// Throws: cancelled when the token says so, limit when the time is over. Cheap; loops call it
  /// each iteration.
  void poll() const;
  /// Takes one iteration from the budget, and polls. Throws: limit when none is left.
  void count_iteration();
  const Limits& limits() const { return limits_; }

 private:
  Limits limits_;
  CancelToken token_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::int64_t iterations_left_;
};

/// What a stateful op keeps between the turns of one session.
struct OpState {
  virtual ~OpState() = default;
  virtual ValueList eval(RunContext& context, Values in) = 0;
};

/// Where a control-flow op finds the plans of its bodies when a session makes its state.
class StateContext {
 public:
  virtual ~StateContext() = default;
  /// The plan compiled for `body` when the outer plan was.
  virtual std::shared_ptr<const Plan> plan_of(const TypedModel& body) = 0;
};

}  // namespace strata
