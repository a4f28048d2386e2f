#pragma once

#include <algorithm>
#include <cmath>

#include "kernel_ops/blocked_image.h"
#include "strata/core/ops/conv.h"

/// What the ways to convolve with a kernel of 3 x 3 cost, for each pair of an input and an output
/// channel: products and sums, and what moving weights takes in the time of as many. How the numbers
/// come about is in docs/kernels.md.
namespace strata {

/// Whether a convolution by weights of this shape can go Winograd's way.
inline bool winograd_fits(const Conv& conv, const Shape& weights) {
  const auto is_one = [](std::int64_t step) { return step == 1; };
  return weights.size() == 4 && weights[2] == 3 && weights[3] == 3 && conv.group == 1 &&
         std::ranges::all_of(conv.strides, is_one) && std::ranges::all_of(conv.dilations, is_one) &&
         std::min(weights[0], weights[1]) >= kernels::kChannelBlock;
}

struct BlockedCosts {
  double direct;
  double winograd2;
  double winograd4;
};

/// To an image of this size.
inline BlockedCosts blocked_costs(double height, double width, double in, double out) {
  constexpr double kTransform = 16;       // of one place of a tile, each way
  constexpr double kCached = 512 * 1024;  // weights that are still near in the next run
  const double channels = 2 / (1 / in + 1 / out);
  const double moving = 16 * in * out > kCached ? 28 : 10;  // a weight
  const auto winograd = [&](double m) {
    const double tiles = std::ceil(height / m) * std::ceil(width / m), places = (m + 2) * (m + 2);
    return places * (tiles * (1 + kTransform / channels) + moving);
  };
  return {9 * (height * width + moving), winograd(2), winograd(4)};
}

/// The larger tile must save a tenth, for it rounds worse.
inline kernels::BlockedMethod cheapest(const BlockedCosts& costs) {
  using enum kernels::BlockedMethod;
  if (costs.direct <= std::min(costs.winograd2, costs.winograd4)) return direct;
  return costs.winograd4 < 0.9 * costs.winograd2 ? winograd4 : winograd2;
}

}  // namespace strata
