#pragma once

#include <optional>
#include <vector>

#include "frame_steps.h"

namespace strata {

/// A join of parts to a whole, or a split of a whole into them, of which each part is one piece of
/// the whole: it can be made where it is to lie, or read where it lies, without a copy.
struct Partition {
  std::uint32_t whole = 0;           ///< value
  Plan::Schedule::Places parts;      ///< values
  std::vector<std::size_t> offsets;  ///< bytes of the whole before each part
  bool is_join = false;
};

/// What the step divides, if it does and sizes are such.
std::optional<Partition> partition_of(const FrameStep& step, const FrameSizes& sizes);

}  // namespace strata
