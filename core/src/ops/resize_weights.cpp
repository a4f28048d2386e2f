#include "ops/resize_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "memory_account.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Where output `o` lies along the input axis.
double place(const Resize& op, const ResizeAxis& axis, double o) {
  const double in = static_cast<double>(axis.in), width = axis.scale * in;
  switch (op.coordinates) {
    case ResizeCoordinates::half_pixel:
      return (o + 0.5) / axis.scale - 0.5;
    case ResizeCoordinates::half_pixel_symmetric:
      return in / 2 * (1 - static_cast<double>(axis.out) / width) + (o + 0.5) / axis.scale - 0.5;
    case ResizeCoordinates::pytorch_half_pixel:
      return width == 1 ? 0 : (o + 0.5) / axis.scale - 0.5;
    case ResizeCoordinates::align_corners:
      return width == 1 ? 0 : o * (in - 1) / (width - 1);
    case ResizeCoordinates::asymmetric:
      return o / axis.scale;
    case ResizeCoordinates::tf_crop_and_resize: {
      const double extent = (axis.roi_end - axis.roi_start) * (in - 1);
      return axis.roi_start * (in - 1) + (width == 1 ? extent / 2 : o * extent / (width - 1));
    }
    case ResizeCoordinates::tf_half_pixel_for_nn:
      return (o + 0.5) / axis.scale;
  }
  return o;
}

std::int64_t nearest_index(NearestMode mode, const ResizeAxis& axis, double at) {
  const double below = std::ceil(at) - 1, ratio = at - below;  // ratio in (0, 1]
  if (mode == NearestMode::floor_or_ceil)
    mode = axis.scale < 1 ? NearestMode::ceil : NearestMode::floor;
  const bool up = ratio == 1 || mode == NearestMode::ceil ||
                  (mode == NearestMode::round_prefer_floor && ratio > 0.5) ||
                  (mode == NearestMode::round_prefer_ceil && ratio >= 0.5);
  return static_cast<std::int64_t>(below) + (up ? 1 : 0);
}

double linear_kernel(double x) { return std::clamp(1 - std::abs(x), 0.0, 1.0); }

/// Keys' cubic convolution kernel.
double cubic_kernel(double x, double a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

void normalise(std::span<WeightedInput> inputs) {
  double sum = 0;
  for (const WeightedInput& input : inputs) sum += input.weight;
  for (WeightedInput& input : inputs) input.weight /= sum;
}

/// Adds the kernel laid over the inputs around `at`, stretched when it is to smooth what shrinks.
void add_kernel(const Resize& op, const ResizeAxis& axis, double at, AxisWeights& out) {
  const double stretch = op.antialias ? std::min(axis.scale, 1.0) : 1;
  const double radius = op.mode == ResizeMode::cubic ? 2 : 1;
  const double below = std::ceil(at) - 1;
  const auto first = static_cast<std::int64_t>(std::floor(-radius / stretch)) + 1;
  for (std::int64_t i = first; i < 2 - first; ++i) {
    const double distance = (static_cast<double>(i) - (at - below)) * stretch;
    const double weight =
        op.mode == ResizeMode::cubic ? cubic_kernel(distance, op.cubic_a) : linear_kernel(distance);
    out.add({static_cast<std::int64_t>(below) + i, weight});
  }
  if (op.antialias) normalise(out.next());
  if (op.exclude_outside) {
    for (WeightedInput& input : out.next())
      if (input.index < 0 || input.index >= axis.in) input.weight = 0;
    normalise(out.next());
  }
}

}  // namespace

std::int64_t resized_to(double size) {
  check_data(size >= 0 && size <= kLongestAxis, "(C5) an axis is resized to ", size);
  return static_cast<std::int64_t>(size);
}

std::vector<std::size_t> resized_axes(const Resize& op, std::size_t rank) {
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < (op.axes ? op.axes->size() : rank); ++a) {
    const std::size_t axis = op.axes ? normalized_axis((*op.axes)[a], rank) : a;
    check(std::find(axes.begin(), axes.end(), axis) == axes.end(), "(C3) axis ", axis,
          " is given twice");
    axes.push_back(axis);
  }
  return axes;
}

std::vector<ResizeAxis> scaled_axes(const Resize& op, const Shape& in, const Tensor& target) {
  const auto axes = resized_axes(op, in.size());
  check_data(target.rank() == 1 && target.size() == static_cast<std::int64_t>(axes.size()),
             "(C4) a target of shape ", Span(target.shape()), " for ", axes.size(), " axes");
  const bool is_sizes = is_integer(target.dtype());
  std::vector<ResizeAxis> out;
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double wanted = number_at(target, static_cast<std::int64_t>(i)),
                 size = static_cast<double>(in[axes[i]]);
    check_data(is_sizes ? wanted >= 0 : wanted > 0, "(C5) axis ", axes[i], " is resized to ",
               wanted);
    const double scale = is_sizes ? wanted / size : wanted;
    least = std::min(least, scale);
    greatest = std::max(greatest, scale);
    out.push_back({in[axes[i]], resized_to(is_sizes ? wanted : size * scale), scale});
  }
  if (!is_sizes || op.aspect_ratio == AspectRatio::stretch) return out;
  for (ResizeAxis& axis : out) {
    axis.scale = op.aspect_ratio == AspectRatio::not_larger ? least : greatest;
    axis.out = resized_to(axis.scale * static_cast<double>(axis.in) + 0.5);
  }
  return out;
}

void read_roi(std::vector<ResizeAxis>& axes, const Tensor* roi) {
  const auto n = static_cast<std::int64_t>(axes.size());
  check_data(roi && roi->size() == 2 * n, "(C6) tf_crop_and_resize of ", n,
             " axes without a roi for each");
  for (std::int64_t i = 0; i < n; ++i) {
    axes[static_cast<std::size_t>(i)].roi_start = number_at(*roi, i);
    axes[static_cast<std::size_t>(i)].roi_end = number_at(*roi, n + i);
  }
}

AxisWeights resize_weights(const Resize& op, const ResizeAxis& axis) {
  constexpr std::int64_t kNumbers = 8;  // of 8 bytes, for each output
  constexpr std::size_t kInputs = 4;    // of an output, unless the kernel is stretched
  check_room(DatumType::i64, Shape{axis.out, kNumbers});
  AxisWeights out;
  out.reserve(static_cast<std::size_t>(axis.out), kInputs);
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const double at = place(op, axis, static_cast<double>(o));
    const bool is_outside = at < 0 || at > static_cast<double>(axis.in - 1);
    const bool is_none = op.coordinates == ResizeCoordinates::tf_crop_and_resize && is_outside;
    if (!is_none && op.mode == ResizeMode::nearest)
      out.add({nearest_index(op.nearest, axis, at), 1});
    else if (!is_none)
      add_kernel(op, axis, at, out);
    for (WeightedInput& input : out.next())
      input.index = std::clamp<std::int64_t>(input.index, 0, axis.in - 1);
    out.end_output();
  }
  return out;
}

bool is_identity(const Resize& op, const ResizeAxis& axis) {
  const bool whole = op.coordinates != ResizeCoordinates::tf_crop_and_resize ||
                     (std::abs(axis.roi_start) < 1e-9 && std::abs(axis.roi_end - 1) < 1e-9);
  return axis.in == axis.out && std::abs(axis.scale - 1) < 1e-9 && whole;
}

}  // namespace strata
