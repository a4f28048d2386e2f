#pragma once

#include <vector>

#include "strata/core/ops/support.h"

namespace strata {

/// A tensor seen as lanes, the sets of elements that differ only along some axes: element k of lane
/// i lies at `starts[i] + steps[k]`. Lanes and the elements in them are in row-major order.
struct Lanes {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> steps;

  std::size_t at(std::size_t lane, std::size_t k) const {
    return static_cast<std::size_t>(starts[lane] + steps[k]);
  }
};

/// The lanes of `shape` along the axes that `along` marks.
Lanes lanes_along(Span shape, const std::vector<bool>& along);
/// Marks one axis.
std::vector<bool> only_axis(std::size_t axis, std::size_t rank);
/// Marks the given axes; negative ones count from the end. Throws: invalid_model when one is
/// outside the rank, or given twice.
std::vector<bool> marked_axes(Span axes, std::size_t rank);

}  // namespace strata
