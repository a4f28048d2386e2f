#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Brings the elements along the last axes, from `axis` on, to mean 0 and variance 1, then scales
/// and shifts them.
///
///   inputs   x       T[..]
///            scale   T[..], optional; stretches to the shape of x
///            bias    T[..], optional; stretches to the shape of x
///   output   T[..]   (x - mean) / sqrt(variance + epsilon) * scale + bias
///   source   ONNX LayerNormalization-17
///
///   (C1) one to three inputs       (C2) one float type
///   (C3) axis within the rank      (C4) scale and bias stretch to the shape of x
struct LayerNorm {
  static constexpr std::string_view name = "LayerNorm";
  std::int64_t axis =
      -1;  ///< first axis of those normalised together; negative counts from the end
  float epsilon = 1e-5F;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &LayerNorm::axis), attr("epsilon", &LayerNorm::epsilon)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<LayerNorm>);

}  // namespace strata
