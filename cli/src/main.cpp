#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>

#include "command_line.h"
#include "libraries.h"
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
  if (line.timeout)
    line.run.load.limits.time = line.bench.load.limits.time =
        std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(*line.timeout, 9e9) * 1e9));
  try {
    const int code = line.command();
    flush_output();
    return code;
  } catch (const Error& error) {
    return report(error.what(), exit_code(error));
  } catch (const std::bad_alloc&) {
    return report("out of memory", kRun);
  } catch (const std::exception& error) {
    return report(error.what(), kInternal);
  }
}

int main_with(int argc, char** argv) {
  try {
    CommandLine line;  // looks into the environment
    if (const auto code = parse(argc, argv, line)) return *code;
    return run_command(line);
  } catch (const Error& error) {
    return report(error.what(), exit_code(error));
  }
}

}  // namespace
}  // namespace strata::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  strata::cli::provide_libraries();
  return strata::cli::main_with(argc, argv);
}
