#pragma once

#include <cstddef>
#include <memory>

namespace strata {

/// Threads that share the work of one session: the caller's and `count() - 1` of their own, which start
/// when work is first shared, and are asleep when idle for long.
///
/// A thread that comes late finds its share done by another, and nobody waits for it. Where sharing out
/// even tasks has cost more than it gained of late, because threads lost their cores in the middle of
/// shares, none but the caller's is usable for a while. A thread that finds itself on its caller's core
/// moves to another it may run on.
class Workers {
 public:
  enum class Tasks {
    any,
    even  ///< about as much work in each
  };

  /// `threads` counts the caller's own. Throws: invalid_argument when there are none.
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t count() const { return count_; }
  /// Among how many threads it pays to share work now: one within a task, mostly all else.
  std::size_t usable() const;
  /// Runs `task(i)` for each i below `n`, each thread on its share, and returns when all are done.
  /// A task may wait for those before it, never for one after it. An exception of a task reaches the
  /// caller once all have ended; of several, the first task's. Throws: limit when the system has no
  /// more threads to start.
  template <class Task>
  void run(std::size_t n, const Task& task, Tasks tasks = Tasks::any) {
    run_tasks(n, tasks, {&task, [](const void* called, std::size_t i) {
                           (*static_cast<const Task*>(called))(i);
                         }});
  }
  /// Memory for the tasks of the caller's next `run`, 64-byte aligned; its content is that of the
  /// last call, unless it had to grow. Not to be called within a task.
  std::byte* scratch(std::size_t bytes);

 private:
  struct Call {
    const void* task;
    void (*function)(const void* task, std::size_t i);
  };
  struct Turn;
  class Team;
  void run_tasks(std::size_t n, Tasks tasks, Call call);

  std::size_t count_;
  std::unique_ptr<Team> team_;
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace strata
