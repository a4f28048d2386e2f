#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "ops/ordering.h"
#include "strata/core/ops/top_k.h"

namespace strata {

/// Moves the indices of the `count` best of the elements at `from`, `step` apart, to the front, the
/// best first; of equal ones the first. There are as many elements as `indices`, which are written.
template <class T>
void sort_best(std::span<std::int64_t> indices, const T* from, std::int64_t step,
               std::int64_t count, TopKOrder order) {
  std::iota(indices.begin(), indices.end(), 0);
  const auto is_better = [&](std::int64_t a, std::int64_t b) {
    const T &left = from[a * step], &right = from[b * step];
    const bool greatest = order == TopKOrder::greatest;
    if (comes_before(left, right)) return !greatest;
    if (comes_before(right, left)) return greatest;
    return a < b;
  };
  std::partial_sort(indices.begin(), indices.begin() + count, indices.end(), is_better);
}

}  // namespace strata
