#include "pool.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <memory>

#include "strata/core/error.h"
#include "worker.h"

namespace strata::conformance {
namespace {

class Pool {
 public:
  Pool(const std::vector<Case>& cases, const std::vector<Mode>& modes, const PoolOptions& options,
       const OnResult& on_result)
      : cases_(cases), modes_(modes), options_(options), on_result_(on_result) {
    for (std::size_t test = 0; test < cases.size(); ++test)
      for (std::size_t mode = 0; mode < modes.size(); ++mode) waiting_.push_back({test, mode});
    workers_.resize(std::max<std::size_t>(1, options.jobs));
  }

  void run() {
    for (;;) {
      bool busy = false;
      for (auto& worker : workers_) busy |= keep_busy(worker);
      if (!busy) return;
      collect();
    }
  }

 private:
  /// Whether the worker has something to do.
  bool keep_busy(std::unique_ptr<Worker>& worker) {
    if (worker && worker->task()) return true;
    if (waiting_.empty()) return false;
    if (!worker || !worker->is_alive()) {
      worker.reset();
      worker = std::make_unique<Worker>(cases_, modes_, options_.threads);
    }
    worker->start(waiting_.front());
    waiting_.pop_front();
    return true;
  }

  /// Waits for an answer or a timeout, and reports what is done.
  void collect() {
    std::vector<pollfd> fds;
    for (const auto& worker : workers_)
      fds.push_back({worker && worker->task() ? worker->answer_fd() : -1, POLLIN, 0});
    ::poll(fds.data(), fds.size(), 200);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (fds[i].fd < 0) continue;
      Worker& worker = *workers_[i];
      const Task task = *worker.task();
      if (fds[i].revents)
        report(task, worker.finish());
      else if (Worker::Clock::now() - worker.started() > options_.timeout)
        report(task, worker.abandon(cat("timeout: more than ", options_.timeout.count(), " s")));
    }
  }

  void report(const Task& task, const Result& result) {
    on_result_(task.test, modes_[task.mode], result);
  }

  const std::vector<Case>& cases_;
  const std::vector<Mode>& modes_;
  const PoolOptions& options_;
  const OnResult& on_result_;
  std::deque<Task> waiting_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

void run_all(const std::vector<Case>& cases, const std::vector<Mode>& modes,
             const PoolOptions& options, const OnResult& on_result) {
  std::signal(SIGPIPE, SIG_IGN);
  Pool(cases, modes, options, on_result).run();
}

}  // namespace strata::conformance
