#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>

#include "command_line.h"
#include "deadline.h"
#include "libraries.h"
#include "strata/core/replacement.h"
#include "terminal.h"

namespace strata::cli {
namespace {

ExitCode exit_code(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::file:
      return kFile;
    case ErrorKind::invalid_model:
    case ErrorKind::unsupported:
      return kModel;
    case ErrorKind::invalid_argument:
      return kUsage;
    case ErrorKind::limit:
    case ErrorKind::run_time:
      return kRun;
    case ErrorKind::cancelled:  // by --timeout: the command has no other way to
      return kTimeout;
    case ErrorKind::internal:
      break;
  }
  return kInternal;
}

int report(std::string_view message, int code) {
  std::fprintf(stderr, "error: %.*s\n", static_cast<int>(message.size()), message.data());
  if (code == kInternal)
    std::fputs("  this is a mistake in Strata; please report it with the model\n", stderr);
  return code;
}

int run_command(CommandLine& line) {
  if (line.timeout) {
    line.run.load.limits.time = line.bench.load.limits.time =
        std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(*line.timeout, 9e9) * 1e9));
    end_after(*line.timeout);
  }
  const int code = line.command();
  flush_output();
  return code;
}

int main_with(int argc, char** argv) {
  try {
    CommandLine line;  // looks into the environment
    if (const auto code = parse(argc, argv, line)) {
      flush_output();
      return *code;
    }
    return run_command(line);
  } catch (const Error& error) {
    return report(error.what(), exit_code(error));
  } catch (const std::bad_alloc&) {
    return report("out of memory", kRun);
  } catch (const std::exception& error) {
    return report(error.what(), kInternal);
  }
}

/// Leaves no half-written file behind, then ends as the signal would have.
void end_by_signal(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle_signals() {
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a file too large for the user is an error of writing it
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, end_by_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace
}  // namespace strata::cli

int main(int argc, char** argv) {
  strata::cli::handle_signals();
  strata::cli::provide_libraries();
  return strata::cli::main_with(argc, argv);
}
