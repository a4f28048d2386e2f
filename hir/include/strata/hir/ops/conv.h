#pragma once

#include "strata/core/ops/conv.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Conv.
struct Conv {
  static constexpr std::string_view name = "Conv";
  strata::Conv op;
  std::optional<Shape> kernel_shape;  ///< what the spatial sizes of the weights must be

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Conv>);

/// ONNX ConvInteger: a Conv of x - x_zero_point and w - w_zero_point in 32 bits.
struct ConvInteger {
  static constexpr std::string_view name = "ConvInteger";
  Conv conv;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<ConvInteger>);

/// ONNX QLinearConv: a Conv of the dequantised operands, quantised again.
struct QLinearConv {
  static constexpr std::string_view name = "QLinearConv";
  Conv conv;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<QLinearConv>);

/// What holds for x, the weights and the output of any convolution.
void conv_rules(Rules& r, const PortProxy& x, const PortProxy& w,
                const std::optional<Shape>& kernel_shape);
/// What holds for input 2, where there is one: a bias for so many channels, of the type of x.
void bias_rules(Rules& r, const PortProxy& x, const DimProxy& channels);

}  // namespace strata::hir
