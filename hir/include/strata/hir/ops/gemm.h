#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Gemm: alpha * A B + beta * C, A and B transposed if wanted, C broadcast or left out.
struct Gemm {
  static constexpr std::string_view name = "Gemm";
  double alpha = 1;
  double beta = 1;
  bool transpose_a = false;
  bool transpose_b = false;

  static constexpr auto attributes() {
    return std::tuple{attr("alpha", &Gemm::alpha), attr("beta", &Gemm::beta),
                      attr("transpose_a", &Gemm::transpose_a),
                      attr("transpose_b", &Gemm::transpose_b)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Gemm>);

}  // namespace strata::hir
