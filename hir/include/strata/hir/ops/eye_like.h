#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX EyeLike; without a `dtype` the output has the type of the input.
struct EyeLike {
  static constexpr std::string_view name = "EyeLike";
  std::optional<DatumType> dtype;
  std::int64_t k = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("dtype", &EyeLike::dtype), attr("k", &EyeLike::k)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<EyeLike>);

}  // namespace strata::hir
