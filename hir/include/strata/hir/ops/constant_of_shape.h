#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX ConstantOfShape: a tensor of the shape that input 0 holds, every element equal to that of
/// `value`.
struct ConstantOfShape {
  static constexpr std::string_view name = "ConstantOfShape";
  Tensor value;

  static constexpr auto attributes() { return std::tuple{attr("value", &ConstantOfShape::value)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<ConstantOfShape>);

}  // namespace strata::hir
