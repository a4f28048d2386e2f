#pragma once

#include "strata/core/ops/quantize.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX QuantizeLinear: the output type is an attribute, or that of the zero point, or u8.
struct QuantizeLinear {
  static constexpr std::string_view name = "QuantizeLinear";
  std::optional<DatumType> to;
  std::int64_t axis = 1;
  std::int64_t block_size = 0;
  std::optional<DatumType> precision;  ///< of the quotient; absent: the type of the scale
  Overflow overflow = Overflow::saturate;

  static constexpr auto attributes() {
    return std::tuple{attr("to", &QuantizeLinear::to), attr("axis", &QuantizeLinear::axis),
                      attr("block_size", &QuantizeLinear::block_size),
                      attr("precision", &QuantizeLinear::precision),
                      attr("overflow", &QuantizeLinear::overflow)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<QuantizeLinear>);

/// ONNX DequantizeLinear: the output type is an attribute, or that of the scale.
struct DequantizeLinear {
  static constexpr std::string_view name = "DequantizeLinear";
  std::optional<DatumType> to;
  std::int64_t axis = 1;
  std::int64_t block_size = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("to", &DequantizeLinear::to), attr("axis", &DequantizeLinear::axis),
                      attr("block_size", &DequantizeLinear::block_size)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<DequantizeLinear>);

/// ONNX DynamicQuantizeLinear: to u8, with the scale and the zero point that fit the data and 0;
/// all three are outputs.
struct DynamicQuantizeLinear {
  static constexpr std::string_view name = "DynamicQuantizeLinear";

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<DynamicQuantizeLinear>);

}  // namespace strata::hir
