#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Puts maxima back where a max Pool found them, among zeros.
///
///   inputs   x             T[N, C, D1, ..]
///            indices       i64[N, C, D1, ..], offsets into the output as it would be without
///                          `sizes`
///            sizes         i64[rank], the sizes of the output (may be missing); zeros fill what is
///                          beyond
///   output   T[N, C, (D1 - 1) * stride + kernel - pads, ..]
///   source   ONNX MaxUnpool-22
///
///   (C1) two or three inputs                  (C2) indices are i64, of the shape of x
///   (C3) rank = 2 + spatial axes of `kernel`  (C4) strides and pads fit the spatial axes
///   (C5) indices lie within the output
///   (C6) `sizes` are no smaller than the output without them
struct MaxUnpool {
  static constexpr std::string_view name = "MaxUnpool";
  static constexpr bool moves_elements = true;
  Shape kernel;   ///< one per spatial axis
  Shape strides;  ///< one per spatial axis; empty for ones
  Shape pads;     ///< all begins, then all ends; empty for none

  static constexpr auto attributes() {
    return std::tuple{attr("kernel", &MaxUnpool::kernel), attr("strides", &MaxUnpool::strides),
                      attr("pads", &MaxUnpool::pads)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<MaxUnpool>);

}  // namespace strata
