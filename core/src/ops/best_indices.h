#pragma once

#include <cstdint>
#include <span>

#include "strata/core/ops/top_k.h"

namespace strata {

/// Along the middle axis of data [outer, extent, inner] the `k` best, the best first; of equal ones
/// the first. Results are [outer, k, inner].
struct BestCall {
  DatumType dtype = DatumType::f32;
  TopKOrder order = TopKOrder::greatest;
  std::int64_t outer = 1, extent = 1, inner = 1, k = 1;
  const std::byte* data = nullptr;
  std::byte* values = nullptr;
  std::int64_t* places = nullptr;
};

/// Room for a row.
struct BestScratch {
  std::span<std::uint64_t> keys;    ///< `extent` of them
  std::span<std::int64_t> indices;  ///< as many
};

void find_best(const BestCall& call, const BestScratch& scratch);

}  // namespace strata
