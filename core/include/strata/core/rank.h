#pragma once

#include <cstdint>

namespace strata {

/// The axes that a tensor may have. What a model says of more is refused before there is a list of
/// them.
inline constexpr std::int64_t kMostAxes = 1024;

}  // namespace strata
