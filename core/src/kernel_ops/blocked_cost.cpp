#include "kernel_ops/blocked_cost.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "computable.h"

namespace strata {
namespace {

using std::int64_t;

double number(int64_t size) { return static_cast<double>(size); }

bool all_ones(const Shape& steps) {
  return std::ranges::all_of(steps, [](int64_t step) { return step == 1; });
}

/// Whether weights of two spatial axes fill blocks, and y has as many axes.
bool fills_blocks(const Shape& weights, const ShapeFact& y) {
  return weights.size() == 4 && std::min(weights[0], weights[1]) >= kernels::kChannelBlock &&
         !y.is_open() && y.rank() >= 4;
}

constexpr int64_t kUsual = 256;  ///< pixels along an axis of an image

/// A size, or what it is in images of a usual size where it is open.
std::optional<int64_t> usual_size(const Dim& dim) {
  std::map<std::string, int64_t, std::less<>> sizes;
  for (std::string& symbol : dim.symbols()) sizes.emplace(std::move(symbol), kUsual);
  const auto size = if_computable([&] { return dim.evaluate(sizes); });
  return size && *size > 0 ? size : std::nullopt;
}

bool is_open(const ShapeFact& image) { return !image[2].is_constant() || !image[3].is_constant(); }

}  // namespace

BlockedCosts blocked_costs(const BlockedWork& work) {
  constexpr double kTransform = 16;       // of one place of a tile, each way
  constexpr double kCached = 512 * 1024;  // weights that are still near in the next run
  constexpr double kWorthBlocks = 0.95;   // the other way to make phases is one of planes
  const double outputs = work.out * work.phases, channels = 2 / (1 / work.in + 1 / outputs);
  const double moving = 16 * work.in * outputs > kCached ? 28 : 10;  // a weight
  const auto winograd = [&](double size) {
    const double step = size + 1 - work.taps;
    const double tiles = std::ceil(work.height / step) * std::ceil(work.width / step);
    return work.phases * size * size * (tiles * (1 + kTransform / channels) + moving);
  };
  return {work.products * (work.height * work.width + moving), winograd(4), winograd(6),
          work.phases > 1 ? kWorthBlocks : 1};
}

kernels::BlockedMethod cheapest(const BlockedCosts& costs) {
  using enum kernels::BlockedMethod;
  if (costs.worth * costs.direct <= std::min(costs.winograd2, costs.winograd4)) return direct;
  return costs.winograd4 < 0.9 * costs.winograd2 ? winograd4 : winograd2;
}

std::optional<BlockedWork> winograd_work(const Conv& conv, const Shape& weights,
                                         const ShapeFact& y) {
  if (!fills_blocks(weights, y) || conv.group != 1 || !all_ones(conv.strides) ||
      !all_ones(conv.dilations))
    return std::nullopt;
  const int64_t taps = weights[3];
  const auto height = usual_size(y[2]), width = usual_size(y[3]);
  if (weights[2] != taps || taps < 2 || taps > 3 || !height || !width) return std::nullopt;
  return BlockedWork{.height = number(*height),
                     .width = number(*width),
                     .in = number(weights[1]),
                     .out = number(weights[0]),
                     .taps = number(taps),
                     .products = number(taps * taps),
                     .is_usual = is_open(y)};
}

std::optional<BlockedWork> winograd_work(const Deconv& deconv, const Shape& weights,
                                         const ShapeFact& y) {
  if (!fills_blocks(weights, y) || deconv.group != 1 || deconv.strides.empty() ||
      !all_ones(deconv.dilations))
    return std::nullopt;
  const Shape& strides = deconv.strides;
  const int64_t taps = taps_of_phase(weights[3], strides[1]), phases = strides[0] * strides[1];
  const auto height = usual_size(y[2]), width = usual_size(y[3]);
  if (taps_of_phase(weights[2], strides[0]) != taps || taps < 2 || taps > 3 || phases == 1 ||
      std::ranges::max(strides) > kMostPhases || !height || !width)
    return std::nullopt;
  return BlockedWork{.height = std::ceil(number(*height) / number(strides[0])),
                     .width = std::ceil(number(*width) / number(strides[1])),
                     .in = number(weights[0]),
                     .out = number(weights[1]),
                     .taps = number(taps),
                     .products = number(weights[2] * weights[3]),
                     .phases = number(phases * blocks_of(weights[1]) * kernels::kChannelBlock) /
                               number(weights[1]),
                     .is_usual = is_open(y)};
}

std::string explain_costs(const std::optional<BlockedWork>& work, kernels::BlockedMethod method) {
  if (!work) return "no other way has a kernel for this window";
  const BlockedCosts costs = blocked_costs(*work);
  const auto tile = [&](std::string_view before, double size, double cost) {
    const auto step = std::llround(size + 1 - work->taps);
    return cat(before, step, 'x', step, ") ", std::llround(cost));
  };
  return cat("steps for a pair of channels: direct ", std::llround(costs.direct),
             tile(", F(", 4, costs.winograd2), tile(", F(", 6, costs.winograd4),
             work->is_usual ? cat(", for images of ", kUsual, " by ", kUsual) : "",
             method == cheapest(costs) ? "" : "; Winograd's way is ruled out");
}

}  // namespace strata
