#include "ops/lanes.h"

#include "strata/core/fact.h"

namespace strata {
namespace {

/// The offsets that the axes marked `wanted` span.
std::vector<std::int64_t> offsets(Span shape, const std::vector<bool>& along, const bool wanted) {
  const Shape strides = row_major_strides(shape);
  Shape sizes, steps;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (along[axis] != wanted) continue;
    sizes.push_back(shape[axis]);
    steps.push_back(strides[axis]);
  }
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(product(sizes)));
  for_each_index(sizes, [&](const Shape& index) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * steps[i];
    out.push_back(offset);
  });
  return out;
}

}  // namespace

Lanes lanes_along(Span shape, const std::vector<bool>& along) {
  return {offsets(shape, along, false), offsets(shape, along, true)};
}

std::vector<bool> only_axis(std::size_t axis, std::size_t rank) {
  std::vector<bool> out(rank, false);
  out[axis] = true;
  return out;
}

std::vector<bool> marked_axes(Span axes, std::size_t rank) {
  std::vector<bool> out(rank, false);
  for (const std::int64_t axis : axes) {
    const std::size_t at = normalized_axis(axis, rank);
    check(!out[at], "axis ", axis, " is given twice");
    out[at] = true;
  }
  return out;
}

}  // namespace strata
