#pragma once

#include "strata/core/ops/deconv.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX ConvTranspose.
struct ConvTranspose {
  static constexpr std::string_view name = "ConvTranspose";
  Deconv op;
  std::optional<Shape> kernel_shape;  ///< what the spatial sizes of the weights must be

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<ConvTranspose>);

}  // namespace strata::hir
