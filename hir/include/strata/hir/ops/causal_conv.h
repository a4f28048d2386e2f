#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX CausalConvWithState: a convolution of each channel over this and earlier steps.
///
/// Inputs x [batch, channels, steps], kernels [channels, 1, k], then optional ones: a bias
/// [channels], and the last k - 1 steps before x, else zeros. Output 1 is the last k - 1 steps of
/// both together.
struct CausalConv {
  static constexpr std::string_view name = "CausalConv";
  /// Applied to output 0.
  enum class Activation { none, silu } activation = Activation::none;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<CausalConv>);

}  // namespace strata::hir
