#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "strata/core/kernel_io.h"
#include "strata/core/limits.h"
#include "strata/core/value.h"

namespace strata {

class TypedModel;
class Plan;
class RunObserver;

/// What one run may still spend; shared by a session and the sessions of the bodies in it.
class RunContext {
 public:
  RunContext(const Limits& limits, CancelToken token, Workers* workers = nullptr,
             RunObserver* observer = nullptr);

  /// Throws: cancelled when the token says so or the time is up. Cheap; loops call it
  /// each iteration.
  void poll() const;
  /// Takes one iteration from the budget, tells the observer, and polls. Throws: limit when none is
  /// left.
  void count_iteration();
  /// The same run in one of several threads. They all take their iterations from `pool`, which
  /// holds what is left until it is given back.
  RunContext in_thread(std::atomic<std::int64_t>& pool);
  void take_back(const std::atomic<std::int64_t>& pool);
  const Limits& limits() const { return limits_; }
  /// The session's threads; null when it has only the caller's.
  Workers* workers() const { return workers_; }
  /// Null when nobody observes the run.
  RunObserver* observer() const { return observer_; }

 private:
  Limits limits_;
  CancelToken token_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::int64_t iterations_left_;
  std::atomic<std::int64_t>* pool_ = nullptr;  ///< null where the run has one thread
  Workers* workers_ = nullptr;
  RunObserver* observer_ = nullptr;
};

/// What a stateful op keeps between the runs of one session.
struct OpState {
  virtual ~OpState() = default;
  virtual ValueList eval(RunContext& context, Values in) = 0;

  /// Prepares for inputs and outputs of these shapes (the addresses are not known yet). Returns the
  /// bytes of scratch memory that `run` needs, or nothing when only `eval` can do it.
  virtual std::optional<std::size_t> bind(std::span<const TensorView> in,
                                          std::span<const MutableTensorView> out);
  /// Like a kernel, reads and writes the memory given; the shapes are those of the last `bind`.
  virtual void run(RunContext& context, const KernelIo& io);
};

/// Where a control-flow op finds the plans of its bodies when a session makes its state.
class StateContext {
 public:
  virtual ~StateContext() = default;
  /// The plan compiled for `body` when the outer plan was.
  virtual std::shared_ptr<const Plan> plan_of(const TypedModel& body) = 0;
};

}  // namespace strata
