#pragma once

#include "kernels/types.h"

namespace strata::kernels {

/// The greatest byte under each window of some planes or volumes; of padding alone, the least there
/// is.
struct BytePool {
  /// Inputs that a window spans at most.
  static constexpr Index kMostSpanned = 16 * 1024;

  Window window;
  bool is_signed = false;  ///< whether the bytes are i8 rather than u8
  const std::uint8_t* x = nullptr;
  std::uint8_t* y = nullptr;
};

/// Computes some of the planes. It takes a small part of the time of a net, in which vectors of 16
/// bytes, which any CPU has, do: there is one for all instruction sets.
void byte_pool(const BytePool& pool, Range planes) noexcept;

}  // namespace strata::kernels
