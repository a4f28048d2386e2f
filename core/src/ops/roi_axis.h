#pragma once

#include <algorithm>
#include <cmath>

#include "strata/core/ops/roi_align.h"

/// Where RoiAlign takes its samples.
namespace strata {

/// The two elements a place on one axis lies between, and the weight of the second; none outside.
struct Between {
  std::int64_t low = 0;
  std::int64_t high = 0;
  double t = 0;
  bool outside = false;
};

inline Between between(double at, std::int64_t size) {
  const bool inside = size > 0 && at >= -1 && at <= static_cast<double>(size);
  if (!inside) return {.outside = true};  // as is what is no number
  at = std::max(at, 0.0);
  const auto low = static_cast<std::int64_t>(at);
  if (low >= size - 1) return {size - 1, size - 1, 0, false};
  return {low, low + 1, at - static_cast<double>(low), false};
}

/// One axis of a region.
struct RoiAxis {
  double start = 0;
  double cell = 1;  ///< elements of a cell
  std::int64_t samples = 1;

  double place(std::int64_t index, std::int64_t sample) const {
    const double within = (static_cast<double>(sample) + 0.5) / static_cast<double>(samples);
    return start + (static_cast<double>(index) + within) * cell;
  }
};

/// Calls `visit(between)` for the samples of a cell that lie within an axis of `size`. Of a region
/// that is larger than the image, however large, most do not, and those are not looked at.
template <class Visit>
void for_each_inside(const RoiAxis& axis, std::int64_t index, std::int64_t size,
                     const Visit& visit) {
  if (axis.samples == 0 || !std::isfinite(axis.start) || !std::isfinite(axis.cell)) return;
  const auto samples = static_cast<double>(axis.samples);
  const auto sample_at = [&](double at) {
    return ((at - axis.start) / axis.cell - static_cast<double>(index)) * samples;
  };
  const auto [first, last] = std::minmax({sample_at(-1), sample_at(static_cast<double>(size))});
  const bool is_one_place = axis.cell == 0;
  const double begin = is_one_place ? 0 : std::clamp(std::floor(first) - 2, 0.0, samples);
  const double end = is_one_place ? samples : std::clamp(std::ceil(last) + 2, 0.0, samples);
  for (auto s = static_cast<std::int64_t>(begin); s < static_cast<std::int64_t>(end); ++s)
    if (const Between at = between(axis.place(index, s), size); !at.outside) visit(at);
}

inline RoiAxis roi_axis(const RoiAlign& op, double begin, double end, std::int64_t cells) {
  const double offset = op.half_pixel ? 0.5 : 0;
  const double start = begin * op.scale - offset;
  double size = end * op.scale - offset - start;
  if (!op.half_pixel) size = std::max(size, 1.0);
  const double cell = size / static_cast<double>(cells);
  if (op.samples > 0) return {start, cell, op.samples};
  constexpr double kMostSamples = 0x1p52;
  const double samples = std::ceil(cell) >= 0 ? std::min(std::ceil(cell), kMostSamples) : 0;
  return {start, cell, static_cast<std::int64_t>(samples)};
}

}  // namespace strata
