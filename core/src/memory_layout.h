#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace strata {

/// A block of memory that is needed from step `first` to step `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

struct MemoryLayout {
  std::vector<std::size_t> offsets;  ///< of each block, multiples of 64
  std::size_t total = 0;
};

/// Places blocks so that two that live at the same time never overlap: in the order of their first
/// step, each in the smallest range that is free then. Cost: blocks times free ranges.
MemoryLayout lay_out(const std::vector<Lifetime>& blocks);

}  // namespace strata
