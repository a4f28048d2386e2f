#include "ops/grid_taps.h"

#include <algorithm>
#include <cmath>

#include "ops/double_functions.h"

namespace strata {
namespace {

using Tap = GridTaps::Tap;

/// `x` folded back at the borders until it is between them.
double reflected(double x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  if (x >= low && x <= high) return x;
  const double beyond = x < low ? low - x : x - high, turns = std::floor(beyond / range);
  const double rest = beyond - turns * range;
  const bool from_low = (x < low) == (std::fmod(turns, 2) == 0);
  return from_low ? low + rest : high - rest;
}

/// Samples along one axis of `size` elements.
struct GridAxis {
  const GridSample& op;
  std::int64_t size;

  double low() const { return op.align_corners ? 0 : -0.5; }
  double high() const { return static_cast<double>(size) - (op.align_corners ? 1 : 0.5); }

  /// Where a coordinate lies, in elements. Computed in the type of the grid, as ties decide the
  /// nearest.
  template <class G>
  double place(G n) const {
    const G length = static_cast<G>(size);
    return static_cast<double>(op.align_corners ? (n + 1) / 2 * (length - 1)
                                                : ((n + 1) * length - 1) / 2);
  }

  /// Whether a place lies between elements, at the first of two or past it.
  bool is_between(double x) const { return x >= 0 && x < static_cast<double>(size - 1); }

  /// Whether a place has elements around it; not one that is no number.
  bool is_near(double x) const { return x > -3 && x < static_cast<double>(size) + 2; }

  Tap tap(std::int64_t index, double weight) const {
    if (op.padding == GridPadding::zeros) return {index >= 0 && index < size ? index : -1, weight};
    if (op.padding == GridPadding::reflection)
      index = static_cast<std::int64_t>(reflected(static_cast<double>(index), low(), high()));
    return {std::clamp<std::int64_t>(index, 0, size - 1), weight};
  }

  void write_taps(double x, Tap* to) const {
    if (size == 0) {
      std::fill_n(to, GridTaps::along_axis(op.mode), Tap{-1, 0});
      return;
    }
    if (op.mode == GridMode::linear && is_between(x)) {
      const auto i = static_cast<std::int64_t>(x);
      const double t = x - static_cast<double>(i);
      to[0] = {i, 1 - t};
      to[1] = {i + 1, t};
      return;
    }
    if (op.mode == GridMode::nearest) x = std::nearbyint(x);
    if (x < low() || x > high()) {
      if (op.padding == GridPadding::border) x = std::clamp(x, 0.0, static_cast<double>(size - 1));
      if (op.padding == GridPadding::reflection) x = reflected(x, low(), high());
    }
    if (!is_near(x)) {
      std::fill_n(to, GridTaps::along_axis(op.mode), Tap{-1, 0});
      return;
    }
    if (op.mode == GridMode::nearest) {
      to[0] = tap(static_cast<std::int64_t>(x), 1);
      return;
    }
    const double first = std::floor(x), t = x - first;
    const auto i = static_cast<std::int64_t>(first);
    if (op.mode == GridMode::linear) {
      to[0] = tap(i, 1 - t);
      to[1] = tap(i + 1, t);
      return;
    }
    to[0] = tap(i - 1, outer(1 + t));
    to[1] = tap(i, inner(t));
    to[2] = tap(i + 1, inner(1 - t));
    to[3] = tap(i + 2, outer(2 - t));
  }

  /// Keys' cubic kernel with a = -3/4, within 1 of the place and beyond.
  static double inner(double x) { return (1.25 * x - 2.25) * x * x + 1; }
  static double outer(double x) { return -0.75 * (((x - 5) * x + 8) * x - 4); }
};

}  // namespace

template <class G>
bool GridTaps::are_between(const G* place, Tap* taps) const {
  if (op_.mode == GridMode::cubic || sizes_.size() != 2) return false;
  const GridAxis across{op_, sizes_[1]}, down{op_, sizes_[0]};
  const double x = across.place(place[0]), y = down.place(place[1]);
  if (!across.is_between(x) || !down.is_between(y)) return false;
  if (op_.mode == GridMode::nearest) {
    const auto row = static_cast<std::int64_t>(nearest_whole(y));
    taps[0] = {row * sizes_[1] + static_cast<std::int64_t>(nearest_whole(x)), 1};
    return true;
  }
  const auto column = static_cast<std::int64_t>(x), row = static_cast<std::int64_t>(y);
  const double t = x - static_cast<double>(column), s = y - static_cast<double>(row);
  const std::int64_t index = row * sizes_[1] + column, below = index + sizes_[1];
  taps[0] = {index, (1 - t) * (1 - s)};
  taps[1] = {index + 1, t * (1 - s)};
  taps[2] = {below, (1 - t) * s};
  taps[3] = {below + 1, t * s};
  return true;
}

/// Begins with the last axis; each further one multiplies the taps there are, from the last on.
template <class G>
void GridTaps::at(const G* place, Tap* taps) const {
  if (are_between(place, taps)) return;
  const std::size_t width = along_axis(op_.mode);
  std::size_t count = 1;
  std::int64_t step = 1;
  taps[0] = {0, 1};
  for (std::size_t a = sizes_.size(); a-- > 0; step *= sizes_[a], count *= width) {
    const GridAxis axis{op_, sizes_[a]};
    Tap along[4];
    axis.write_taps(axis.place(*place++), along);
    for (std::size_t i = width; i-- > 0;)
      for (std::size_t j = 0; j < count; ++j) {
        const bool outside = along[i].index < 0 || taps[j].index < 0;
        taps[i * count + j] = {outside ? -1 : taps[j].index + along[i].index * step,
                               taps[j].weight * along[i].weight};
      }
  }
}

template void GridTaps::at(const float*, Tap*) const;
template void GridTaps::at(const double*, Tap*) const;

}  // namespace strata
