#pragma once

#include <filesystem>

#include "strata/core/session.h"

namespace strata::cli {

/// Runs a plan for a short while after some runs that are not observed, and prints where the time
/// goes. A file that is named gets the first observed run as a trace. Throws: file, and as runs do.
void profile(const std::shared_ptr<const Plan>& plan, Values inputs, SessionOptions options,
             const std::filesystem::path& trace);

/// Throws: invalid_argument for a name that does not end in .json; file where none can be written.
void check_trace(const std::filesystem::path& trace);

}  // namespace strata::cli
