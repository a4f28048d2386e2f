#pragma once

#include "strata/hir/ops/lstm.h"

namespace strata::hir {

/// ONNX Runtime's DynamicQuantizeLSTM, as an LSTM of what its quantised weights stand for.
///
/// Inputs X, W [directions, size, 4 * hidden], R [directions, hidden, 4 * hidden], those of an LSTM
/// from B on, and the scales and zero points of W and of R, each one number for a direction, or for
/// each column of it. ONNX Runtime also rounds X and the states to bytes; here they stay floats.
struct DynamicQuantizeLstm {
  static constexpr std::string_view name = "DynamicQuantizeLSTM";
  Lstm lstm;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<DynamicQuantizeLstm>);

}  // namespace strata::hir
