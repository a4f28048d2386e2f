#pragma once

#include <optional>
#include <vector>

#include "frame_steps.h"

namespace strata {

/// A join of parts into a whole, or a split of a whole into parts, where each part is one
/// contiguous piece of the whole: it can be made in place, or read in place, without a copy.
struct Partition {
  std::uint32_t whole = 0;           ///< value
  Plan::Schedule::Places parts;      ///< values
  std::vector<std::size_t> offsets;  ///< bytes of the whole before each part
  bool is_join = false;
};

/// The partition that a step joins or splits; nothing if its parts are not contiguous.
std::optional<Partition> partition_of(const FrameStep& step, const FrameSizes& sizes);

}  // namespace strata
