#pragma once

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// ONNX ai.onnx.preview.training Gradient: the derivatives of the sum of the body's one output
/// with respect to each of its first `variables` inputs.
///
/// Inputs are the body's: variables, other inputs, captured values. The body is wired once more, in
/// core ops, and walked backward. Throws: unsupported for a core op that has no rule.
struct Gradient {
  static constexpr std::string_view name = "Gradient";
  InferenceBody body;
  std::size_t own_inputs = 0;
  std::size_t variables = 0;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
  static void each_body(auto& op, const auto& visit) { visit(op.body); }
};
static_assert(InferenceOpDef<Gradient>);

}  // namespace strata::hir
