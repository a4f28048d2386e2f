#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Flatten: a matrix whose rows are the axes before `axis` and whose columns are the others.
struct Flatten {
  static constexpr std::string_view name = "Flatten";
  std::int64_t axis = 1;  ///< negative counts from the end

  static constexpr auto attributes() { return std::tuple{attr("axis", &Flatten::axis)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Flatten>);

}  // namespace strata::hir
