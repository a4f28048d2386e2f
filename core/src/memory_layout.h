#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace strata {

/// A place within another block.
struct BlockPlace {
  std::size_t block = 0;
  std::size_t offset = 0;  ///< bytes
};

/// A block of memory that is needed from step `first` to step `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  std::optional<BlockPlace> held;  ///< where it has no memory of its own
};

struct MemoryLayout {
  std::vector<std::size_t>
      offsets;  ///< of each block; multiples of 64, but of those that others hold
  std::size_t total = 0;
};

/// Places blocks so that two that live at the same time never overlap: in the order of their first
/// steps, each in the smallest range that is free then. A block that holds others lives as long as
/// any of them. Cost: blocks times free ranges.
MemoryLayout lay_out(std::vector<Lifetime> blocks);
/// Gives the blocks that others hold their offsets from those of their holders.
void place_held(const std::vector<Lifetime>& blocks, std::vector<std::size_t>& offsets);

}  // namespace strata
