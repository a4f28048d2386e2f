#pragma once

#include <span>
#include <vector>

#include "frame_values.h"
#include "shape_binding.h"

namespace strata {

/// A step whose sizes may disagree.
struct Doubt {
  const Plan::Schedule::Step* step;
  bool is_of_empty;  ///< only where it makes no elements
};

/// The kernels that rely on more than the symbols of the model tell: on two symbols that are equal,
/// or on a size that the model says and its ops do not.
std::vector<Doubt> doubts_of(const FrameValues& values);

/// Whether the step's op takes inputs of these shapes, which are one for each value, and makes its
/// outputs.
bool agrees(const Plan::Schedule::Step& step, const FrameValues& values,
            std::span<const Shape> shapes, const SymbolValues& symbols);

}  // namespace strata
