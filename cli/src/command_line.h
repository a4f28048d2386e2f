#pragma once

#include <functional>
#include <optional>

#include "commands.h"

namespace strata::cli {

/// Everything the command line may say, and which subcommand it chose.
struct CommandLine {
  DumpOptions dump;
  OptimizeOptions optimize;
  RunOptions run;
  BenchOptions bench;
  OpsOptions ops;
  std::optional<double> timeout;
  std::function<int()> command;
};

/// Reads the command line into `line`, to which its command refers. Returns the exit code where
/// there is nothing left to do, as after `--help`. Throws: invalid_argument.
std::optional<int> parse(int argc, char** argv, CommandLine& line);

}  // namespace strata::cli
