#include "kernel_ops/weighted_picks.h"

#include <cstring>

namespace strata {
namespace {

using std::int64_t;

/// Picks that are kept at once: as many as a second cache holds beside a plane, which is read anew
/// for each time.
constexpr int64_t kMostPicks = 1 << 14;

bool is_pair(const std::int32_t* picks) { return picks[0] >= 0 && picks[1] == picks[0] + 1; }

/// One output.
float sum_up(const std::int32_t* place, const float* weight, int64_t count, const float* plane) {
  float sum = 0;
  for (int64_t t = 0; t < count; ++t)
    if (place[t] >= 0) sum += weight[t] * plane[place[t]];
  return sum;
}

typedef float Four __attribute__((vector_size(16)));
typedef double TwoPairs __attribute__((vector_size(16)));

/// Two neighbours, moved as one number.
double pair_at(const float* p) {
  double pair;
  std::memcpy(&pair, p, sizeof pair);
  return pair;
}

/// The terms of one output whose four picks are pairs.
Four pair_terms(const std::int32_t* place, const float* weight, const float* plane) {
  Four weights;
  std::memcpy(&weights, weight, sizeof weights);
  const TwoPairs picked{pair_at(plane + place[0]), pair_at(plane + place[2])};
  return weights * reinterpret_cast<Four>(picked);
}

/// The terms of one output some of whose four picks may be outside.
Four terms(const std::int32_t* place, const float* weight, const float* plane) {
  Four out{};
  for (int t = 0; t < 4; ++t)
    if (place[t] >= 0) out[t] = weight[t] * plane[place[t]];
  return out;
}

/// Four outputs, the four terms of each added in their order.
void sum_up_terms(const Four (&t)[4], float* y) {
  const Four a = __builtin_shufflevector(t[0], t[1], 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(t[2], t[3], 0, 4, 1, 5);
  const Four c = __builtin_shufflevector(t[0], t[1], 2, 6, 3, 7);
  const Four d = __builtin_shufflevector(t[2], t[3], 2, 6, 3, 7);
  Four sum = Four{} + __builtin_shufflevector(a, b, 0, 1, 4, 5);
  sum += __builtin_shufflevector(a, b, 2, 3, 6, 7);
  sum += __builtin_shufflevector(c, d, 0, 1, 4, 5);
  sum += __builtin_shufflevector(c, d, 2, 3, 6, 7);
  std::memcpy(y, &sum, sizeof sum);
}

}  // namespace

std::size_t WeightedPicks::scratch_bytes() {
  return kMostPicks * (sizeof(std::int32_t) + sizeof(float)) + kMostPicks / 16;
}

WeightedPicks::WeightedPicks(std::byte* scratch, std::size_t count)
    : elements_(reinterpret_cast<std::int32_t*>(scratch)),
      weights_(reinterpret_cast<float*>(scratch) + kMostPicks),
      are_pairs_(reinterpret_cast<std::uint8_t*>(weights_ + kMostPicks)),
      count_(static_cast<int64_t>(count)) {}

int64_t WeightedPicks::most_places() const { return kMostPicks / count_; }

void WeightedPicks::set(int64_t place, const GridTaps::Tap* taps) {
  for (int64_t t = 0, at = place * count_; t < count_; ++t, ++at) {
    elements_[at] = static_cast<std::int32_t>(taps[t].index);
    weights_[at] = static_cast<float>(taps[t].weight);
  }
}

void WeightedPicks::find_pairs(int64_t n) {
  if (count_ != 4) return;
  for (int64_t i = 0; i + 4 <= n; i += 4) {
    unsigned are_pairs = 0;
    for (int64_t k = 0; k < 4; ++k) {
      const std::int32_t* picks = elements_ + 4 * (i + k);
      if (is_pair(picks) && is_pair(picks + 2)) are_pairs |= 1u << k;
    }
    are_pairs_[i / 4] = static_cast<std::uint8_t>(are_pairs);
  }
}

void WeightedPicks::sample(const float* plane, int64_t n, float* y) const {
  count_ == 1 ? pick(plane, n, y) : sum_up_all(plane, n, y);
}

void WeightedPicks::sample_blocks(const kernels::KernelTable& table, const float* plane, int64_t n,
                                  float* y) const {
  table.pick_blocks({n, count_, elements_, weights_, plane, y});
}

/// What is no number there stays as it is.
void WeightedPicks::pick(const float* plane, int64_t n, float* y) const {
  for (int64_t i = 0; i < n; ++i) y[i] = elements_[i] < 0 ? 0 : plane[elements_[i]];
}

void WeightedPicks::sum_up_all(const float* plane, int64_t n, float* y) const {
  int64_t i = 0;
  for (; count_ == 4 && i + 4 <= n; i += 4) {
    const std::int32_t* place = elements_ + 4 * i;
    const float* weight = weights_ + 4 * i;
    const unsigned are_pairs = are_pairs_[i / 4];
    const auto pair = [&](int64_t k) { return pair_terms(place + 4 * k, weight + 4 * k, plane); };
    const auto any = [&](int64_t k) {
      return (are_pairs >> k & 1) != 0 ? pair(k) : terms(place + 4 * k, weight + 4 * k, plane);
    };
    if (are_pairs == 15)
      sum_up_terms({pair(0), pair(1), pair(2), pair(3)}, y + i);
    else
      sum_up_terms({any(0), any(1), any(2), any(3)}, y + i);
  }
  for (; i < n; ++i) y[i] = sum_up(elements_ + i * count_, weights_ + i * count_, count_, plane);
}

}  // namespace strata
