#include "strata/core/workers.h"

#include <pthreadpool.h>

#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

#include "strata/core/error.h"

namespace strata {
namespace {

/// Whether this thread is in a task: what a task shares out in turn, it does alone.
thread_local bool is_in_task = false;

/// One call of `run`: the task, and the exception of the first task that threw.
struct Job {
  const std::function<void(std::size_t)>& task;
  std::mutex mutex;
  std::size_t failed = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error;

  void run(std::size_t i) noexcept {
    const bool was_in_task = std::exchange(is_in_task, true);
    try {
      task(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < failed) failed = i, error = std::current_exception();
    }
    is_in_task = was_in_task;
  }
};

}  // namespace

struct Workers::Pool {
  explicit Pool(std::size_t threads) : pool(pthreadpool_create(threads)) {
    require(pool != nullptr, ErrorKind::limit, "the system gives no ", threads, " threads");
  }
  ~Pool() { pthreadpool_destroy(pool); }
  pthreadpool_t pool;
};

Workers::Workers(std::size_t threads)
    : count_(threads), pool_(threads > 1 ? std::make_unique<Pool>(threads) : nullptr) {
  require(threads > 0, ErrorKind::invalid_argument, "a session runs on at least one thread");
}

Workers::~Workers() = default;

void Workers::run(std::size_t n, const std::function<void(std::size_t)>& task) {
  Job job{task, {}, std::numeric_limits<std::size_t>::max(), nullptr};
  if (!pool_ || is_in_task) {
    for (std::size_t i = 0; i < n; ++i) job.run(i);
  } else {
    pthreadpool_parallelize_1d(
        pool_->pool, [](void* context, std::size_t i) { static_cast<Job*>(context)->run(i); }, &job,
        n, 0);
  }
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace strata
