#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/types.h"

/// What the ways to convolve with a kernel of 3 x 3 cost, for each pair of an input and an output
/// channel: products and sums, and what moving weights takes in the time of as many. How the numbers
/// come about is in docs/kernels.md.
namespace strata {

struct BlockedCosts {
  double direct;
  double winograd2;
  double winograd4;
};

inline double winograd_cost(double height, double width, double m, double channels) {
  const double tiles = std::ceil(height / m) * std::ceil(width / m), places = (m + 2) * (m + 2);
  constexpr double kTransform = 16;  // of one place of a tile, each way
  return places * (tiles * (1 + kTransform / channels) + 10);
}

/// To an image of this size.
inline BlockedCosts blocked_costs(double height, double width, double in, double out) {
  const double channels = 2 / (1 / in + 1 / out);
  return {9 * height * width + 90, winograd_cost(height, width, 2, channels),
          winograd_cost(height, width, 4, channels)};
}

/// The larger tile must save a tenth, for it rounds worse.
inline kernels::BlockedMethod cheapest(const BlockedCosts& costs) {
  using enum kernels::BlockedMethod;
  if (costs.direct <= std::min(costs.winograd2, costs.winograd4)) return direct;
  return costs.winograd4 < 0.9 * costs.winograd2 ? winograd4 : winograd2;
}

}  // namespace strata
