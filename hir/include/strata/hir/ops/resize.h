#pragma once

#include "strata/core/ops/resize.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Resize and Upsample: inputs x, roi, scales, sizes, of which all but x may be absent; or
/// scales as a constant.
struct Resize {
  static constexpr std::string_view name = "Resize";
  strata::Resize op;
  std::optional<std::vector<float>> scales;  ///< when they are not an input

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Resize>);

}  // namespace strata::hir
