#pragma once

#include <span>
#include <vector>

#include "frame_values.h"
#include "shape_binding.h"

namespace strata {

/// A kernel that relies on sizes which may disagree.
struct Doubt {
  const Plan::Schedule::Step* step;
  bool only_if_empty;  ///< they may disagree only where it makes no elements
};

/// The kernels that rely on more than the model's symbols say: on two symbols being equal, or on a
/// size that the model declares and its ops do not imply.
std::vector<Doubt> doubts_of(const FrameValues& values);

/// Whether the step's op accepts inputs of these shapes, and makes outputs of these. `shapes` has
/// one for each value.
bool agrees(const Plan::Schedule::Step& step, const FrameValues& values,
            std::span<const Shape> shapes, const SymbolValues& symbols);

}  // namespace strata
