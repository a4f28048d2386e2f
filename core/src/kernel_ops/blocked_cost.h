#pragma once

#include <string>

#include "kernel_ops/blocked_image.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/deconv.h"

/// The costs of the ways to convolve with a small square kernel, per pair of an input and an output
/// channel. The unit is a product with its sum; moving weights is counted in the same unit.
/// docs/kernels.md explains the numbers.
namespace strata {

/// The most phases along an axis for which Winograd's method has a kernel for transposed
/// convolutions.
inline constexpr std::int64_t kMostPhases = 4;

/// The most taps of a kernel that reach one phase of the outputs of its transpose.
inline std::int64_t taps_of_phase(std::int64_t kernel, std::int64_t stride) {
  return (kernel + stride - 1) / stride;
}

/// A convolution with unit strides, or one that makes several outputs at each place, its phases.
struct BlockedWork {
  double height;  ///< places
  double width;
  double in;  ///< channels
  double out;
  double taps = 3;      ///< along an axis
  double products = 9;  ///< for each place, by the definition
  double phases = 1;
  bool is_usual = false;  ///< for images of a usual size, as the model leaves the size open
};

struct BlockedCosts {
  double direct;
  double winograd2;
  double winograd4;
  double worth = 1;  ///< share of the direct cost at which another way is worth its conversions
};

BlockedCosts blocked_costs(const BlockedWork& work);

/// The larger tile must save a tenth, because it rounds worse.
kernels::BlockedMethod cheapest(const BlockedCosts& costs);

/// What a convolution by weights of this shape to y does, where Winograd's method has a kernel for
/// it. The axes of y are [N, channels or blocks, in...]; open sizes count as those of images of 256
/// by 256.
std::optional<BlockedWork> winograd_work(const Conv& conv, const Shape& weights,
                                         const ShapeFact& y);
/// The same for the transpose of one.
std::optional<BlockedWork> winograd_work(const Deconv& deconv, const Shape& weights,
                                         const ShapeFact& y);

/// "steps for a pair of channels: direct 9, F(2x2) 8, …", and whether `method` is what they say.
std::string explain_costs(const std::optional<BlockedWork>& work, kernels::BlockedMethod method);

}  // namespace strata
