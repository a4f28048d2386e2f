#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/grid_taps.h"

namespace strata {

/// Elements of planes of f32 and their weights, as many for each of some places: found once, and summed
/// up for all planes that are sampled alike.
class WeightedPicks {
 public:
  static constexpr std::size_t kMostAxes = 3;
  static constexpr std::size_t kMostTaps = 64;  ///< of a place: cubic, along three axes

  /// Bytes of memory it works in, 64-byte aligned.
  static std::size_t scratch_bytes();
  /// `count` picks for each place.
  WeightedPicks(std::byte* scratch, std::size_t count);

  /// Places that are kept at once.
  std::int64_t most_places() const;
  void set(std::int64_t place, const GridTaps::Tap* taps);
  /// What `sample` needs to know of the first n places, once they are set.
  void find_pairs(std::int64_t n);
  /// Writes the sums of the first n places. One pick a place stays as it is, whatever its weight.
  void sample(const float* plane, std::int64_t n, float* y) const;

 private:
  void pick(const float* plane, std::int64_t n, float* y) const;
  void sum_up_all(const float* plane, std::int64_t n, float* y) const;

  std::int32_t* elements_;  ///< those of one place side by side; -1: a zero outside
  float* weights_;
  /// Of each four places: whether all picks, four each, are pairs of neighbours.
  std::uint8_t* are_pairs_;
  std::int64_t count_;
};

}  // namespace strata
