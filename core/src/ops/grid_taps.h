#pragma once

#include <array>
#include <vector>

#include "strata/core/ops/grid_sample.h"
#include "strata/core/ops/support.h"

namespace strata {

/// What a GridSample makes its outputs of: elements of a plane and their weights.
class GridTaps {
 public:
  /// An element and its weight; the index is -1 for a zero outside.
  struct Tap {
    std::int64_t index;
    double weight;
  };

  /// How many taps an axis takes.
  static std::size_t along_axis(GridMode mode) {
    return mode == GridMode::nearest ? 1 : mode == GridMode::linear ? 2 : 4;
  }

  /// Planes of these sizes.
  GridTaps(const GridSample& op, Span sizes) : op_(op), sizes_(sizes), count_(1) {
    for (std::size_t a = 0; a < sizes.size(); ++a) count_ *= along_axis(op.mode);
  }

  /// For each place.
  std::size_t count() const { return count_; }
  /// The taps of one place, whose coordinates are those of the grid: G is float or double.
  template <class G>
  void at(const G* place, Tap* taps) const;

 private:
  /// Whether a place lies between elements along both of two axes, as most places of a picture do;
  /// then it writes its taps.
  template <class G>
  bool are_between(const G* place, Tap* taps) const;

  GridSample op_;
  Shape sizes_;
  std::size_t count_;
};

}  // namespace strata
