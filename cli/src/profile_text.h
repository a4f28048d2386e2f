#pragma once

#include <string>

#include "profiler.h"
#include "strata/core/machine_peak.h"
#include "terminal.h"

namespace strata::cli {

/// A profile as two tables: of ops, the costly ones first, and of nodes in the order in which they
/// run, bodies indented. All is for one run; what is reached of the bound is held against `peak`.
std::string profile_text(const ProfiledNode& runs, std::size_t threads, const MachinePeak& peak,
                         const Style& style);

}  // namespace strata::cli
