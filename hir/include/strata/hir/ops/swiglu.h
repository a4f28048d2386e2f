#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX SwiGLU: a sigmoid(alpha a) b, of two inputs of one shape.
struct SwiGlu {
  static constexpr std::string_view name = "SwiGlu";
  float alpha = 1;

  static constexpr auto attributes() { return std::tuple{attr("alpha", &SwiGlu::alpha)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<SwiGlu>);

}  // namespace strata::hir
