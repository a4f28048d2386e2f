#pragma once

#include <cstddef>
#include <functional>

namespace strata::cli {

/// How often this process calls `operator new` while `work` runs. Each tensor that owns memory
/// counts once.
std::size_t allocations_in(const std::function<void()>& work);

}  // namespace strata::cli
