#pragma once

#include <cstdint>

namespace strata {

/// The most axes that a tensor may have. A model with more is refused before memory is allocated
/// for a list of them.
inline constexpr std::int64_t kMostAxes = 1024;

}  // namespace strata
