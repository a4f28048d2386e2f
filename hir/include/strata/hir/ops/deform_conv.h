#pragma once

#include "strata/core/ops/deform_conv.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX DeformConv: inputs x, w, offsets, bias and mask, of which the last two may be absent.
struct DeformConv {
  static constexpr std::string_view name = "DeformConv";
  strata::DeformConv op;
  std::optional<Shape> kernel_shape;  ///< what the spatial sizes of the weights must be

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<DeformConv>);

}  // namespace strata::hir
