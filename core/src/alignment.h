#pragma once

#include <cstddef>

namespace strata {

/// Alignment, in bytes, of memory for kernels: a cache line, and the widest vector.
inline constexpr std::size_t kAlignment = 64;

/// `bytes` rounded up, so that an aligned block can follow.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace strata
