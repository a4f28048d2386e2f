#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/resize.h"

namespace strata {

/// Whether each output is an element as it is. Other numbers lie outside the input.
inline bool only_moves(const Resize& op) {
  return op.mode == ResizeMode::nearest && op.coordinates != ResizeCoordinates::tf_crop_and_resize;
}

/// Resamples one axis of an f32 input, or the last two; where it copies, of one of any type.
///
///   inputs   x; for each axis the places i32[taps, out] of the inputs that each output is made
///            from, which ascend along both axes, and unless `copies` their weights f32[taps, out]
struct ResizeKernel {
  static constexpr std::string_view name = "ResizeKernel";
  std::int64_t axis = 0;  ///< the only one, or the second to last
  bool copies = false;    ///< one tap each, taken as it is
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &ResizeKernel::axis), attr("copies", &ResizeKernel::copies),
                      attr("isa", &ResizeKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;

  /// How many axes a node with this many inputs resamples.
  std::size_t axes_of(std::size_t inputs) const { return (inputs - 1) / (copies ? 1 : 2); }
};
static_assert(OpDef<ResizeKernel>);

}  // namespace strata
