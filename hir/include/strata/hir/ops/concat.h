#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Concat: joins its inputs along `axis`.
struct Concat {
  static constexpr std::string_view name = "Concat";
  std::int64_t axis = 0;

  static constexpr auto attributes() { return std::tuple{attr("axis", &Concat::axis)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Concat>);

}  // namespace strata::hir
