#include "ops/best_indices.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ops/ordering.h"

namespace strata {

void find_best(const BestCall& call, const BestScratch& scratch) {
  const std::span<std::uint64_t> keys = scratch.keys;
  const std::span<std::int64_t> indices = scratch.indices;
  const auto width = static_cast<std::int64_t>(bit_width(call.dtype) / 8);
  const std::uint64_t turned = call.order == TopKOrder::greatest ? UINT64_MAX : 0;
  const auto is_better = [&](std::int64_t a, std::int64_t b) {
    const std::uint64_t left = keys[static_cast<std::size_t>(a)],
                        right = keys[static_cast<std::size_t>(b)];
    return left < right || (left == right && a < b);
  };
  for (std::int64_t n = 0; n < call.outer * call.inner; ++n) {
    const std::int64_t row = n / call.inner, column = n % call.inner;
    const std::byte* from = call.data + (row * call.extent * call.inner + column) * width;
    write_order_keys(call.dtype, from, call.inner, keys);
    for (std::uint64_t& key : keys) key ^= turned;
    std::iota(indices.begin(), indices.end(), 0);
    std::partial_sort(indices.begin(), indices.begin() + call.k, indices.end(), is_better);
    for (std::int64_t i = 0; i < call.k; ++i) {
      const std::int64_t to = (row * call.k + i) * call.inner + column;
      call.places[to] = indices[static_cast<std::size_t>(i)];
      std::memcpy(call.values + to * width, from + call.places[to] * call.inner * width,
                  static_cast<std::size_t>(width));
    }
  }
}

}  // namespace strata
