#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// Where a QuantizedOp takes the scale and the zero point of its result: after its operands, or
/// before them.
enum class ResultScale { last, first };

/// ONNX Runtime's QLinearAdd and its like: an op on what quantised operands stand for, its result
/// quantised again.
///
/// Inputs are `plain` ones, which the op takes as they are; operands, each of which is numbers, a
/// scale and a zero point; and the scale and the zero point of the result. A zero point may be left
/// out. The result has the type of the operands. Every scale is one number.
struct QuantizedOp {
  static constexpr std::string_view name = "QuantizedOp";
  InferenceOp op;
  std::size_t plain = 0;
  ResultScale result = ResultScale::last;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<QuantizedOp>);

}  // namespace strata::hir
