#include <utility>

#include "strata/core/error.h"
#include "strata/core/op_state.h"
#include "strata/core/run_observer.h"
#include "strata/core/text.h"

namespace strata {

std::optional<std::size_t> OpState::bind(std::span<const TensorView>,
                                         std::span<const MutableTensorView>) {
  return std::nullopt;
}

void OpState::run(RunContext&, const KernelIo&) {
  fail(ErrorKind::internal, "an op that cannot be bound was run as a kernel");
}

RunContext::RunContext(const Limits& limits, CancelToken token, Workers* workers,
                       RunObserver* observer)
    : limits_(limits),
      token_(std::move(token)),
      iterations_left_(limits.iterations),
      workers_(workers),
      observer_(observer) {
  if (!limits.time) return;
  const auto now = std::chrono::steady_clock::now();
  if (*limits.time < std::chrono::steady_clock::time_point::max() - now)
    deadline_ = now + *limits.time;
}

void RunContext::poll() const {
  if (token_.cancelled()) fail(ErrorKind::cancelled, "the run was cancelled");
  if (deadline_ && std::chrono::steady_clock::now() > *deadline_)
    fail(ErrorKind::cancelled, "the run takes longer than ",
         std::chrono::duration<double>(*limits_.time).count(), " s, the limit time");
}

RunContext RunContext::in_thread(std::atomic<std::int64_t>& pool) {
  RunContext out = *this;
  if (pool_) return out;  // in a thread already
  pool = std::exchange(out.iterations_left_, 0);
  out.pool_ = &pool;
  return out;
}

void RunContext::take_back(const std::atomic<std::int64_t>& pool) {
  if (!pool_) iterations_left_ = pool;
}

void RunContext::count_iteration() {
  if (iterations_left_-- <= 0) {
    iterations_left_ = 0;
    // In one of several threads, iterations are taken from the pool of them all.
    if (!pool_ || (*pool_)-- <= 0)
      fail(ErrorKind::limit, "loops run more than ", limits_.iterations,
           " iterations, the limit iterations");
  }
  if (observer_) observer_->iteration();
  poll();
}

}  // namespace strata
