#pragma once

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// ONNX SequenceMap: inputs a sequence, then sequences that are as long and tensors, then the captured
/// values. The body takes an item of each sequence, the tensors and the captured values; its outputs
/// for all items are sequences.
struct SequenceMap {
  static constexpr std::string_view name = "SequenceMap";
  InferenceBody body;
  std::size_t captures = 0;  ///< values captured, the last inputs

  OutletIds wire(Builder& b, const OutletIds& in) const;
  std::vector<InferenceBody> bodies() const { return {body}; }
};
static_assert(InferenceOpDef<SequenceMap>);

}  // namespace strata::hir
