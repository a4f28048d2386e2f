#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// A value that the model holds; any inputs are ignored.
struct Constant {
  static constexpr std::string_view name = "Constant";
  Value value;

  static constexpr auto attributes() { return std::tuple{attr("value", &Constant::value)}; }
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Constant>);

}  // namespace strata::hir
