#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace strata {

/// Threads that share the work of one session: the caller's and `count() - 1` of their own, asleep
/// when idle.
class Workers {
 public:
  /// `threads` counts the caller's own.
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t count() const { return count_; }
  /// Runs `task(i)` for each i below `n`, each thread on its share, and returns when all are done.
  /// A task may wait for those before it, never for one after it. An exception of a task reaches the
  /// caller once all have ended; of several, the first task's.
  void run(std::size_t n, const std::function<void(std::size_t)>& task);

 private:
  struct Pool;
  std::size_t count_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace strata
