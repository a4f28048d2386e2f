#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "modes.h"

namespace strata::conformance {

struct PoolOptions {
  std::size_t jobs = 1;
  std::size_t threads = 1;           ///< of a session
  std::chrono::seconds timeout{60};  ///< for one case in one mode
};

/// What is told of each case and mode as soon as it is done.
using OnResult = std::function<void(std::size_t test, Mode mode, const Result& result)>;

/// Runs every case in every mode in worker processes, so that a crash or a hang is one failed
/// result: the worker is then replaced. Cases start in the given order. Throws: internal when no
/// process can be made.
void run_all(const std::vector<Case>& cases, const std::vector<Mode>& modes,
             const PoolOptions& options, const OnResult& on_result);

}  // namespace strata::conformance
