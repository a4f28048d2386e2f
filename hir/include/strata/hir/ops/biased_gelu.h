#pragma once

#include "strata/core/ops/unary.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Runtime's BiasGelu and FastGelu: a gelu of x plus, where there is one, a bias for each
/// element of its last axis.
struct BiasedGelu {
  static constexpr std::string_view name = "BiasedGelu";
  UnaryOp gelu = UnaryOp::gelu;  ///< or gelu_tanh

  static constexpr auto attributes() { return std::tuple{attr("gelu", &BiasedGelu::gelu)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<BiasedGelu>);

}  // namespace strata::hir
