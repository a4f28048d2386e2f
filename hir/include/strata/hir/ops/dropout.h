#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Dropout: input 1 the ratio, input 2 whether this is training; otherwise the data passes
/// unchanged and the mask is true.
struct Dropout {
  static constexpr std::string_view name = "Dropout";
  std::int64_t seed = 0;
  bool numeric_mask = false;  ///< before version 10 the mask had the type of the data

  static constexpr auto attributes() {
    return std::tuple{attr("seed", &Dropout::seed), attr("numeric_mask", &Dropout::numeric_mask)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Dropout>);

}  // namespace strata::hir
