#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "compare.h"
#include "inputs.h"
#include "model_file.h"
#include "strata/core/session.h"

/// The subcommands: each takes what its command line says and returns the process's exit code. All
/// throw strata::Error.
namespace strata::cli {

/// What the exit code of the process says.
enum ExitCode : int {
  kOk = 0,
  kDifferent = 1,  ///< the outputs are not the expected ones
  kUsage = 2,
  kFile = 3,
  kModel = 4,
  kRun = 5,
  kInternal = 70,
  kTimeout = 124,
};

struct DumpOptions {
  std::filesystem::path model;
  LoadOptions load;
  bool json = false;
};
int dump(const DumpOptions& options);

struct OptimizeOptions {
  std::filesystem::path model;
  std::filesystem::path output;
  LoadOptions load;
  bool explain = false;
};
int optimize(const OptimizeOptions& options);

struct RunOptions {
  std::filesystem::path model;
  LoadOptions load;
  InputSources inputs;
  std::filesystem::path output;  ///< an `.npz`, a folder, or empty
  std::filesystem::path expect;  ///< an `.npz`, a folder, or empty
  Tolerance tolerance = kOfficialTolerance;
  SessionOptions session;
  bool is_profiled = false;
  std::filesystem::path trace;  ///< of a profile, a `.json`, or empty
};
int run(const RunOptions& options);

struct BenchOptions {
  std::filesystem::path model;
  LoadOptions load;
  InputSources inputs;  ///< random values for those that are not given
  SessionOptions session;
  double seconds = 0.5;  ///< of timed runs
  bool json = false;
  /// How many there are while something runs, where they are counted.
  std::size_t (*allocations_in)(const std::function<void()>& work) = nullptr;
};
int bench(const BenchOptions& options);

enum class OpsFormat { table, json, markdown };

struct OpsOptions {
  OpsFormat format = OpsFormat::table;
};
int ops(const OpsOptions& options);

}  // namespace strata::cli
