#pragma once

#include <cstddef>

namespace strata {

/// Bytes at a multiple of which memory for kernels begins: a line of a cache, and the widest
/// vector.
inline constexpr std::size_t kAlignment = 64;

/// Bytes that so many take where others, aligned as well, follow.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace strata
