#pragma once

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// ONNX Loop: inputs M and cond, either of which may be left out, then the carried values, then the
/// captured ones. The body takes the iteration number, the condition, the carried values and the
/// captured ones; it gives the condition, the carried values, and the scan outputs.
struct Loop {
  static constexpr std::string_view name = "Loop";
  InferenceBody body;
  std::size_t carried = 0;   ///< values carried, the condition not counted
  std::size_t captures = 0;  ///< values captured, the last inputs

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
  static void each_body(auto& op, const auto& visit) { visit(op.body); }
};
static_assert(InferenceOpDef<Loop>);

}  // namespace strata::hir
