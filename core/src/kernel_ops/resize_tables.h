#pragma once

#include <limits>
#include <optional>

#include "ops/resize_weights.h"

namespace strata {

/// The greatest size of an axis whose places tables can hold as i32.
inline constexpr std::int64_t kMostPlaces = std::numeric_limits<std::int32_t>::max();

/// What the outputs along one axis of a Resize are made from, as ResizeKernel takes it.
struct AxisTable {
  Tensor places;                 ///< i32[taps, out]
  Tensor weights;                ///< f32[taps, out]
  std::optional<Tensor> inside;  ///< bool[out], where some outputs lie outside the input
};

/// Nothing where the inputs do not ascend along outputs and taps, or their numbers differ.
std::optional<AxisTable> table_of(const AxisWeights& weights);

/// The tables of one axis of a Resize whose sizes are known only in a run.
///
///   inputs   x, of which only the shape is read; the target, as in Resize
///   output   places i32[taps, out]; unless nearest, weights f32[taps, out] as well
struct ResizeTables : Resize {
  static constexpr std::string_view name = "ResizeTables";
  std::int64_t axis = 0;

  static constexpr auto attributes() {
    return std::tuple_cat(Resize::attributes(), std::tuple{attr("axis", &ResizeTables::axis)});
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;

  /// Whether the inputs along an axis ascend for all sizes, and their number is known.
  static bool fits(const Resize& op);
};
static_assert(OpDef<ResizeTables>);

}  // namespace strata
