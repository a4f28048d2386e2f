#pragma once

#include <span>
#include <vector>

#include "strata/core/ops/resize.h"

namespace strata {

/// One axis of a Resize.
struct ResizeAxis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  double scale = 1;
  double roi_start = 0;
  double roi_end = 1;
};

inline constexpr double kLongestAxis = 0x1p62;
/// The whole part of a size. Throws: run_time when no axis can be so long.
std::int64_t resized_to(double size);
/// The axes that are resized, from the start. Throws: invalid_model when one is given twice.
std::vector<std::size_t> resized_axes(const Resize& op, std::size_t rank);
/// Their sizes and scales, for a whole shape and a target. Throws: run_time when they do not agree.
std::vector<ResizeAxis> scaled_axes(const Resize& op, const Shape& in, const Tensor& target);
/// Sets the part of each axis that is wanted. Throws: run_time when `roi` is null or of another
/// size.
void read_roi(std::vector<ResizeAxis>& axes, const Tensor* roi);

/// An input that an output is made of.
struct WeightedInput {
  std::int64_t index;
  double weight;
};

/// What each output of an axis is made of; nothing for one outside the region of interest.
class AxisWeights {
 public:
  void reserve(std::size_t outputs, std::size_t inputs) {
    ends_.reserve(outputs);
    inputs_.reserve(outputs * inputs);
  }
  /// Adds an input of the output that comes next.
  void add(WeightedInput input) { inputs_.push_back(input); }
  /// The inputs that it has so far.
  std::span<WeightedInput> next() { return std::span(inputs_).subspan(begin_of(size())); }
  void end_output() { ends_.push_back(inputs_.size()); }

  std::size_t size() const { return ends_.size(); }
  std::span<const WeightedInput> operator[](std::size_t output) const {
    return std::span(inputs_).subspan(begin_of(output), ends_[output] - begin_of(output));
  }

 private:
  std::size_t begin_of(std::size_t output) const { return output == 0 ? 0 : ends_[output - 1]; }

  std::vector<WeightedInput> inputs_;  ///< of one output after the other
  std::vector<std::size_t> ends_;      ///< of those of each output
};

AxisWeights resize_weights(const Resize& op, const ResizeAxis& axis);

/// Whether the axis stays as it is.
bool is_identity(const Resize& op, const ResizeAxis& axis);

}  // namespace strata
