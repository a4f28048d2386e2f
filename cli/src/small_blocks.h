#pragma once

#include <cstddef>

namespace strata::cli {

/// Memory for `operator new`. To load and rewrite a model makes and drops tens of thousands of blocks
/// of some dozen bytes, at which the C library spends a quarter of the time.
///
/// Small blocks are of a few sizes; a thread keeps those it gives back in a list of each size, and
/// takes its lists along when it ends. They lie in one range of addresses, which tells them from the
/// C library's blocks, and which is never given back. Larger ones, and all once the range is full,
/// are the C library's.
///
/// `block_of` returns null where there is no memory.
void* block_of(std::size_t bytes) noexcept;
/// Takes null as well, which is no block.
void give_back(void* block) noexcept;

}  // namespace strata::cli
