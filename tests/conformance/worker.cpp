#include "worker.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "strata/core/error.h"

namespace strata::conformance {
namespace {

bool write_all(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::write(fd, at, size);
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int fd, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = ::read(fd, at, size);
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

/// The fixed part of an answer; the message follows.
struct AnswerHeader {
  bool passed;
  bool strict;
  double seconds;
  std::size_t message_size;
};

[[noreturn]] void serve(int tasks, int answers, const std::vector<Case>& cases,
                        const std::vector<Mode>& modes, std::size_t threads) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (Task task; read_all(tasks, &task, sizeof task);) {
    const Result result = run_case(cases[task.test], modes[task.mode], threads);
    const AnswerHeader header{result.passed, result.strict, result.seconds, result.message.size()};
    if (!write_all(answers, &header, sizeof header) ||
        !write_all(answers, result.message.data(), result.message.size()))
      break;
  }
  ::_exit(0);
}

}  // namespace

Worker::Worker(const std::vector<Case>& cases, const std::vector<Mode>& modes,
               std::size_t threads) {
  int to_child[2], from_child[2];
  require(::pipe2(to_child, O_CLOEXEC) == 0 && ::pipe2(from_child, O_CLOEXEC) == 0,
          ErrorKind::internal, "no pipe: ", std::strerror(errno));
  process_ = ::fork();
  require(process_ >= 0, ErrorKind::internal, "no process: ", std::strerror(errno));
  if (process_ == 0) {
    ::close(to_child[1]);
    ::close(from_child[0]);
    serve(to_child[0], from_child[1], cases, modes, threads);
  }
  ::close(to_child[0]);
  ::close(from_child[1]);
  tasks_ = to_child[1];
  answers_ = from_child[0];
}

Worker::~Worker() {
  ::close(tasks_);
  ::close(answers_);
  if (alive_) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
}

void Worker::start(const Task& task) {
  task_ = task;
  started_ = Clock::now();
  // A worker that has ended shows it on the answers.
  write_all(tasks_, &task, sizeof task);
}

Result Worker::finish() {
  AnswerHeader header;
  Result result;
  if (!read_all(answers_, &header, sizeof header)) return end_result();
  result = {header.passed, header.strict, header.seconds, std::string(header.message_size, ' ')};
  if (!read_all(answers_, result.message.data(), header.message_size)) return end_result();
  task_.reset();
  return result;
}

Result Worker::end_result() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  alive_ = false;
  task_.reset();
  Result result;
  result.message = WIFSIGNALED(status)
                       ? cat("crash: ", std::string_view(::strsignal(WTERMSIG(status))))
                       : cat("crash: exit code ", WEXITSTATUS(status));
  result.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  return result;
}

Result Worker::abandon(const std::string& why) {
  ::kill(process_, SIGKILL);
  Result result = end_result();
  result.message = why;
  return result;
}

}  // namespace strata::conformance
