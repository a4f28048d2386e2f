#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Slice with inputs: data, starts, ends, and optionally axes and steps, either of which may
/// be left out.
struct Slice {
  static constexpr std::string_view name = "Slice";

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Slice>);

}  // namespace strata::hir
