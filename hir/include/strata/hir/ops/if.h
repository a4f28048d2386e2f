#pragma once

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// ONNX If: input 0 the condition, then the captured values, which both bodies take in the same
/// order.
struct If {
  static constexpr std::string_view name = "If";
  InferenceBody then_body;
  InferenceBody else_body;
  bool same_shapes = false;  ///< whether the branches must agree in shape too, as before opset 11

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
  static void each_body(auto& op, const auto& visit) {
    visit(op.then_body);
    visit(op.else_body);
  }
};
static_assert(InferenceOpDef<If>);

}  // namespace strata::hir
