#pragma once

#include "strata/core/ops/cast.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX CastLike: casts input 0 to the type of input 1.
struct CastLike {
  static constexpr std::string_view name = "CastLike";
  Overflow overflow = Overflow::saturate;
  FloatRounding rounding = FloatRounding::nearest_even;

  static constexpr auto attributes() {
    return std::tuple{attr("overflow", &CastLike::overflow), attr("rounding", &CastLike::rounding)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<CastLike>);

}  // namespace strata::hir
