#include "ops/best_indices.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ops/ordering.h"

namespace strata {
namespace {

/// The places of the least keys in order, of equal ones the first, as many as there is room for.
/// Some bits of all keys are `turned`.
void find_first(std::span<const std::uint64_t> keys, std::uint64_t turned,
                std::span<std::int64_t> places) {
  const auto key_of = [&](std::int64_t place) {
    return keys[static_cast<std::size_t>(place)] ^ turned;
  };
  const auto is_before = [&](std::int64_t a, std::int64_t b) {
    return key_of(a) < key_of(b) || (key_of(a) == key_of(b) && a < b);
  };
  if (places.empty()) return;
  std::iota(places.begin(), places.end(), 0);
  std::make_heap(places.begin(), places.end(), is_before);
  std::uint64_t worst = key_of(places.front());
  for (std::size_t i = places.size(); i < keys.size(); ++i) {
    if ((keys[i] ^ turned) >= worst) continue;  // as most are
    std::pop_heap(places.begin(), places.end(), is_before);
    places.back() = static_cast<std::int64_t>(i);
    std::push_heap(places.begin(), places.end(), is_before);
    worst = key_of(places.front());
  }
  std::sort_heap(places.begin(), places.end(), is_before);
}

}  // namespace

void find_best(const BestCall& call, const BestScratch& scratch) {
  const std::span<std::uint64_t> keys = scratch.keys;
  const std::span<std::int64_t> indices = scratch.indices;
  const auto width = static_cast<std::int64_t>(bit_width(call.dtype) / 8);
  const std::uint64_t turned = call.order == TopKOrder::greatest ? UINT64_MAX : 0;
  for (std::int64_t n = 0; n < call.outer * call.inner; ++n) {
    const std::int64_t row = n / call.inner, column = n % call.inner;
    const std::byte* from = call.data + (row * call.extent * call.inner + column) * width;
    write_order_keys(call.dtype, from, call.inner, keys);
    find_first(keys, turned, indices.first(static_cast<std::size_t>(call.k)));
    for (std::int64_t i = 0; i < call.k; ++i) {
      const std::int64_t to = (row * call.k + i) * call.inner + column;
      call.places[to] = indices[static_cast<std::size_t>(i)];
      std::memcpy(call.values + to * width, from + call.places[to] * call.inner * width,
                  static_cast<std::size_t>(width));
    }
  }
}

}  // namespace strata
