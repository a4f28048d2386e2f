#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Bernoulli: 1 with the probability each element of the input gives, else 0; of the input's
/// type without a `dtype`.
struct Bernoulli {
  static constexpr std::string_view name = "Bernoulli";
  std::optional<DatumType> dtype;
  std::optional<double> seed;

  static constexpr auto attributes() {
    return std::tuple{attr("dtype", &Bernoulli::dtype), attr("seed", &Bernoulli::seed)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Bernoulli>);

}  // namespace strata::hir
