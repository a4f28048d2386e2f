#pragma once

#include <algorithm>
#include <cstdint>

namespace strata {

/// The places p of an axis, from `begin` to `end`, at which `first + p * stride` is inside it.
struct Inside {
  std::int64_t begin;
  std::int64_t end;
};

/// Those among `places` of an axis of this size.
inline Inside inside(std::int64_t first, std::int64_t stride, std::int64_t places,
                     std::int64_t size) {
  const auto places_below = [&](std::int64_t limit) {
    const std::int64_t count = limit > first ? (limit - first + stride - 1) / stride : 0;
    return std::min(count, places);
  };
  return {places_below(0), places_below(size)};
}

}  // namespace strata
