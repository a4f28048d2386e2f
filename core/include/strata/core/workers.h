#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

namespace strata {

/// Tracks how much time sharing some even tasks has gained lately, compared with the caller alone.
/// Once more is lost than was gained, they are not shared for as long as was lost, and for twice as
/// long each time this happens again, until the gain is back at its maximum.
class SharingGain {
 public:
  using Clock = std::chrono::steady_clock;
  /// The gain is at most `most`, with which it also starts.
  explicit SharingGain(Clock::duration most) : most_(most), gained_(most) {}

  /// Takes into account what a turn that ended `now` has gained.
  void add(Clock::duration gain, Clock::time_point now);
  Clock::time_point alone_until() const { return alone_until_; }

 private:
  Clock::duration most_, gained_;
  Clock::time_point alone_until_ = {};
  int times_alone_ = 1;  ///< how long it stays alone, in multiples of what was lost
};

/// Threads that share the work of a session, or of several: the caller's and `count() - 1` others,
/// which start when work is first shared, and sleep when idle for long. A copy shares the threads,
/// but has its own scratch memory; a caller that finds the threads busy with another caller's work
/// does its own alone.
///
/// The share of a thread that comes late is done by another, and nobody waits for it. If sharing
/// even tasks has lately cost more than it gained, because threads lost their cores in the middle
/// of shares, or read data in another core's cache, only the caller's thread is usable for a while.
/// A thread that finds itself on its caller's core moves to another core.
class Workers {
 public:
  /// `threads` counts the caller's own. 1 to 1024. Throws: invalid_argument for others.
  explicit Workers(std::size_t threads);
  Workers(const Workers& other);
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  std::size_t count() const { return count_; }
  /// How many threads are worth sharing work among now, if that work's own gain is `gain`: one
  /// within a task, otherwise mostly all.
  std::size_t usable(const SharingGain* gain = nullptr) const;
  /// Runs `task(i)` for each i below `n`, each thread on its share, and returns when all are done.
  /// A task may wait for those before it, never for one after it. An exception of a task reaches
  /// the caller once all have ended; of several, that of the first task. Throws: limit when the
  /// system has no more threads to start. Tasks with a `gain` must be even: about the same work in
  /// each.
  template <class Task>
  void run(std::size_t n, const Task& task, SharingGain* gain = nullptr) {
    run_tasks(n, gain, {&task, [](const void* called, std::size_t i) {
                          (*static_cast<const Task*>(called))(i);
                        }});
  }
  /// Memory for the tasks of the caller's next `run`, 64-byte aligned; it keeps its content from
  /// the last call, unless it had to grow. Not to be called within a task.
  std::byte* scratch(std::size_t bytes);

 private:
  struct Call {
    const void* task;
    void (*function)(const void* task, std::size_t i);
  };
  struct Turn;
  class Team;
  void run_tasks(std::size_t n, SharingGain* gain, Call call);

  std::size_t count_;
  std::shared_ptr<Team> team_;
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace strata
