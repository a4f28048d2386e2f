#pragma once

#include <cstddef>

namespace strata::cli {

/// How often this process has called `operator new` so far. Each tensor that owns memory counts
/// once.
std::size_t allocations();

}  // namespace strata::cli
