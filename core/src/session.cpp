#include "strata/core/session.h"

#include <algorithm>
#include <atomic>

#include "float_mode.h"
#include "interpreter.h"
#include "runner.h"
#include "strata/core/workers.h"

namespace strata {

namespace {

std::shared_ptr<const Plan> given(std::shared_ptr<const Plan>&& plan) {
  require(plan != nullptr, ErrorKind::invalid_argument, "a session is given no plan");
  return std::move(plan);
}

/// Checks what the caller's sequences and optionals hold, which nothing looks at again. A value
/// whose own type is wrong is left to the runner's check.
void check_contents(const TypedModel& model, Values inputs) {
  for (std::size_t i = 0; i < std::min(inputs.size(), model.inputs().size()); ++i) {
    const Fact& fact = model.input_fact(i);
    if (fact.is_tensor() || !fits(fact, inputs[i])) continue;
    if (const auto misfit = misfit_within(fact, inputs[i]))
      fail(ErrorKind::invalid_argument, "input ", in_quotes(model.input_name(i)), " is ",
           fact.without_value(), ", ", *misfit);
  }
}

/// Marks a session as running. This is not a lock: two threads in one session, or an observer that
/// runs the session it observes, are mistakes, which are reported where they are noticed.
class Busy {
 public:
  explicit Busy(std::atomic<bool>& flag) : flag_(flag) {
    require(!flag_.load(std::memory_order_relaxed), ErrorKind::invalid_argument,
            "a session is run while it runs; each thread takes one of its own");
    flag_.store(true, std::memory_order_relaxed);
  }
  ~Busy() { flag_.store(false, std::memory_order_relaxed); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// Does (a part of) a run. A constraint that fails only now is not the model's fault but that of
/// the run's values: as far as loading could know, it held.
template <class Work>
auto with_run_time_errors(const Work& work) {
  try {
    return work();
  } catch (Error& error) {
    if (error.kind() == ErrorKind::invalid_model) error.as(ErrorKind::run_time);
    throw;
  }
}

/// Withdraws a request to cancel at the end of a run, which may come before it is noticed.
class CancelledOnce {
 public:
  explicit CancelledOnce(CancelToken& token) : token_(token) {}
  ~CancelledOnce() { token_.reset(); }
  CancelledOnce(const CancelledOnce&) = delete;
  CancelledOnce& operator=(const CancelledOnce&) = delete;

 private:
  CancelToken& token_;
};

}  // namespace

struct Session::State {
  State(std::shared_ptr<const Plan>&& plan, const SessionOptions& options)
      : runner(given(std::move(plan))),
        observer(options.observer),
        denormals_as_zero(options.denormals_as_zero) {
    if (options.workers)
      workers.emplace(*options.workers);
    else if (options.threads != 1)
      workers.emplace(options.threads);
  }
  Workers* threads() { return workers ? &*workers : nullptr; }

  Runner runner;
  std::shared_ptr<MemoryScope::Account> memory;  ///< what all runs are charged for
  CancelToken token;
  std::optional<Workers> workers;
  RunObserver* observer;
  bool denormals_as_zero;
  std::atomic<bool> is_running = false;
};

Session::Session(std::shared_ptr<const Plan> plan, SessionOptions options)
    : state_(std::make_unique<State>(std::move(plan), options)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Session::State& Session::state() const {
  require(state_ != nullptr, ErrorKind::invalid_argument, "a session is used that was moved from");
  return *state_;
}

ValueList Session::run(Values inputs) { return run(inputs, OutputMemory()); }

ValueList Session::run(Values inputs, OutputMemory memory) {
  const Busy busy(state().is_running);
  const DenormalsAsZero mode(state().denormals_as_zero);
  const Limits& limits = state_->runner.plan().limits();
  RunContext context(limits, state_->token, state_->threads(), state_->observer);
  const MemoryScope scope(limits, state_->memory);
  const CancelledOnce once(state_->token);
  check_contents(state_->runner.plan().model(), inputs);
  return with_run_time_errors([&] { return state_->runner.run(context, inputs, memory); });
}

ValueList Session::run(RunContext& context, Values inputs) {
  return state().runner.run(context, inputs);
}

void Session::prepare(std::span<const Shape> inputs) {
  const Busy busy(state().is_running);
  const MemoryScope scope(state_->runner.plan().limits(), state_->memory);
  with_run_time_errors([&] { state_->runner.prepare(state_->threads(), inputs); });
}

void Session::release_memory() {
  const Busy busy(state().is_running);
  state_->runner.release_memory();
  if (state_->workers)
    state_->workers.emplace(Workers(*state_->workers));  // a copy has no scratch memory yet
}

CancelToken& Session::cancel_token() { return state().token; }
std::size_t Session::arena_bytes() const { return state().runner.frame_bytes(); }

ValueList run_model(const TypedModel& model, Values inputs, const Limits& limits) {
  return Session(Plan::build(model, limits)).run(inputs);
}

}  // namespace strata
