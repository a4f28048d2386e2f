#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "modes.h"

namespace strata::conformance {

/// One case in one mode, by position in the lists of cases and modes.
struct Task {
  std::size_t test = 0;
  std::size_t mode = 0;
};

/// A process that runs tasks it is sent, one at a time, and answers with their results.
class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  Worker(const std::vector<Case>& cases, const std::vector<Mode>& modes, std::size_t threads);
  /// Ends the process.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(const Task& task);
  const std::optional<Task>& task() const { return task_; }
  Clock::time_point started() const { return started_; }
  /// Becomes readable when the answer is there, or when the process has ended.
  int answer_fd() const { return answers_; }
  /// The result of the task; that the process has ended is a failed result, after which the worker
  /// is of no use.
  Result finish();
  bool is_alive() const { return alive_; }
  /// Ends the process in the middle of its task. Returns a failed result that says `why`.
  Result abandon(const std::string& why);

 private:
  Result end_result();

  pid_t process_ = -1;
  int tasks_ = -1;
  int answers_ = -1;
  bool alive_ = true;
  std::optional<Task> task_;
  Clock::time_point started_;
};

}  // namespace strata::conformance
