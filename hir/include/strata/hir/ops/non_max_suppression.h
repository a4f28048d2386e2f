#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX NonMaxSuppression, with the defaults of operands that are left out: no boxes, any overlap,
/// any score.
struct NonMaxSuppression {
  static constexpr std::string_view name = "NonMaxSuppression";
  bool by_centre = false;

  static constexpr auto attributes() {
    return std::tuple{attr("by_centre", &NonMaxSuppression::by_centre)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<NonMaxSuppression>);

}  // namespace strata::hir
