#pragma once

#include <algorithm>
#include <cstdint>

#include "strata/core/tensor.h"

namespace strata {

/// One axis of a slice of an axis of `extent`: where it starts, and how many elements it takes.
struct Cut {
  std::int64_t start = 0;
  std::int64_t count = 0;
};

/// As ONNX says, which is not quite what Python does: a slice that goes backward from before the
/// first element starts at the first.
inline Cut cut(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, extent);
    end = std::clamp<std::int64_t>(end, 0, extent);
    return {start, end > start ? (end - start - 1) / step + 1 : 0};
  }
  if (extent == 0) return {0, 0};
  start = std::clamp<std::int64_t>(start, 0, extent - 1);
  end = std::clamp<std::int64_t>(end, -1, extent - 1);
  // The quotient of negative numbers, which cannot overflow for the lowest step.
  return {start, start > end ? (end - start + 1) / step + 1 : 0};
}

/// Where the elements of a slice lie in what is sliced: the steps along each axis, and how far from
/// the first element the slice begins, in elements.
struct SlicedView {
  Shape shape, strides;
  std::int64_t offset = 0;
};

/// The slice that the operands of a Slice take. Throws: run_time as Slice does.
SlicedView sliced_view(Tensors in);

}  // namespace strata
