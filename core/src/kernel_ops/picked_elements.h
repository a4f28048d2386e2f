#pragma once

#include <algorithm>

#include "kernel_ops/movement.h"

namespace strata {

/// Which elements of data GatherElements and ScatterElements touch: along all axes but one, those
/// at the place of each index, along that one, the index itself.
class PickedElements {
 public:
  PickedElements(Span data, const TensorView& indices, std::size_t axis);

  /// Indices of one row, from the n-th of all on.
  struct Row {
    std::int64_t n, count;
    const std::int64_t* picks;
    std::int64_t begin, step;  ///< in the data, without the picks
    std::int64_t extent, pick_step;

    /// Whether an element is just `begin` plus the pick, as the picks are along the last axis.
    bool is_along_picks() const { return step == 0 && pick_step == 1; }
    /// Throws: run_time for an index outside the data.
    std::int64_t pick(std::int64_t i) const { return checked_index(picks[i], extent); }
    /// The element of the data.
    std::int64_t operator[](std::int64_t i) const { return begin + i * step + pick(i) * pick_step; }
  };

  /// Calls `visit(row)` for these indices, row by row.
  template <class Visit>
  void for_rows(kernels::Range part, const Visit& visit) const {
    std::int64_t wide[kMost];
    Place place = place_of(part.begin);
    while (place.n < part.end) {
      const Row row = row_from(place, part.end, wide);
      visit(row);
      move_on(place, row.count);
    }
  }

 private:
  static constexpr std::int64_t kMost = 256;  ///< i32 indices that are widened at once

  /// Of an index.
  struct Place {
    std::int64_t n;          ///< how many come before it
    AxisNumbers at;          ///< along each axis
    std::int64_t row_begin;  ///< of its row, in the data
  };
  Place place_of(std::int64_t n) const;
  /// Past some indices of its row, to the next row behind the last one.
  void move_on(Place& place, std::int64_t count) const;
  Row row_from(const Place& place, std::int64_t end, std::int64_t (&wide)[kMost]) const;

  const TensorView& indices_;
  std::int64_t extent_;
  AxisNumbers step_ = {};  ///< of the data; 0 along the axis of the picks
  std::int64_t pick_step_ = 0;
};

}  // namespace strata
