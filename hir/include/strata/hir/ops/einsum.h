#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Einsum, as a product of matrices where it is one.
struct Einsum {
  static constexpr std::string_view name = "Einsum";
  std::string equation;

  static constexpr auto attributes() { return std::tuple{attr("equation", &Einsum::equation)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Einsum>);

}  // namespace strata::hir
