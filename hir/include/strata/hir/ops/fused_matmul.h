#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// How FusedMatMul takes an operand. `batches` first moves the leading axis behind the axes of the
/// batch; `matrix` then swaps the last two.
struct OperandOrder {
  bool matrix = false;
  bool batches = false;
};

/// ONNX Runtime's FusedMatMul and TransposeMatMul: alpha A B, of operands taken in another order.
struct FusedMatMul {
  static constexpr std::string_view name = "FusedMatMul";
  OperandOrder a;
  OperandOrder b;
  double alpha = 1;

  static constexpr auto attributes() { return std::tuple{attr("alpha", &FusedMatMul::alpha)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<FusedMatMul>);

/// ONNX Runtime's FusedConv and FusedGemm: an op, what is added to its result, and a function of
/// the sum, all of one shape and type.
struct Activated {
  static constexpr std::string_view name = "Activated";
  InferenceOp op;
  std::optional<InferenceOp> activation;
  std::size_t operands = 0;  ///< of the op; an input after them is what is added

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Activated>);

}  // namespace strata::hir
