#pragma once

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// ONNX SequenceMap: inputs a sequence, then tensors and sequences of the same length, then the
/// captured values. The body takes an item of each sequence, the tensors and the captured values;
/// each of its outputs becomes a sequence over all items.
struct SequenceMap {
  static constexpr std::string_view name = "SequenceMap";
  InferenceBody body;
  std::size_t captures = 0;  ///< values captured, the last inputs

  OutletIds wire(Builder& b, const OutletIds& in) const;
  static void each_body(auto& op, const auto& visit) { visit(op.body); }
};
static_assert(InferenceOpDef<SequenceMap>);

}  // namespace strata::hir
