#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "modes.h"

namespace strata::conformance {

/// The command line of the runner.
struct Options {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path expected;  ///< none when empty
  std::string data;                ///< what the folders hold, in words
  std::vector<std::string> filters;
  std::vector<Mode> modes;
  std::size_t jobs = 1;
  std::size_t threads = 1;
  std::chrono::seconds timeout{60};
  bool list = false;
  bool verbose = false;
  bool ops = false;
  bool help = false;
  std::filesystem::path report;
  std::filesystem::path failures;
  std::filesystem::path strict_failures;
};

extern const char kUsage[];

/// Fills in the data to use when no folder is given: the environment's STRATA_ONNX_DATA, or
/// Debian's. Throws: invalid_argument.
Options parse_options(int argc, char** argv);

}  // namespace strata::conformance
