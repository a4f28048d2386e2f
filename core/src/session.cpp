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

/// Values from outside may hold others than their type says, which nothing looks at again.
void check_contents(const TypedModel& model, Values inputs) {
  for (std::size_t i = 0; i < std::min(inputs.size(), model.inputs().size()); ++i) {
    const Fact& fact = model.input_fact(i);
    if (fact.is_tensor() || !fits(fact, inputs[i])) continue;
    if (const auto misfit = misfit_within(fact, inputs[i]))
      fail(ErrorKind::invalid_argument, "input ", in_quotes(model.input_name(i)), " is ",
           fact.without_value(), ", ", *misfit);
  }
}

/// Notes that a session runs. It is no lock: what two threads do in one session, or an observer in
/// the run that it observes, is a mistake that is told where it is seen.
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

/// Does what a run does, or a part of that. A constraint that held as far as loading could tell is
/// broken by what the run is given.
template <class Work>
auto as_of_a_run(const Work& work) {
  try {
    return work();
  } catch (Error& error) {
    if (error.kind() == ErrorKind::invalid_model) error.as(ErrorKind::run_time);
    throw;
  }
}

/// Withdraws the request to cancel a run when the run is over, which may end before it hears of it.
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
  std::shared_ptr<MemoryScope::Account> memory;  ///< of all runs
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
  return as_of_a_run([&] { return state_->runner.run(context, inputs, memory); });
}

ValueList Session::run(RunContext& context, Values inputs) {
  return state().runner.run(context, inputs);
}

void Session::prepare(std::span<const Shape> inputs) {
  const Busy busy(state().is_running);
  const MemoryScope scope(state_->runner.plan().limits(), state_->memory);
  as_of_a_run([&] { state_->runner.prepare(state_->threads(), inputs); });
}

void Session::release_memory() {
  const Busy busy(state().is_running);
  state_->runner.release_memory();
  if (state_->workers) state_->workers.emplace(Workers(*state_->workers));  // of no memory yet
}

CancelToken& Session::cancel_token() { return state().token; }
std::size_t Session::arena_bytes() const { return state().runner.frame_bytes(); }

ValueList run_model(const TypedModel& model, Values inputs, const Limits& limits) {
  return Session(Plan::build(model, limits)).run(inputs);
}

}  // namespace strata
