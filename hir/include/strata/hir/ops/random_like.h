#pragma once

#include "strata/core/ops/random.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX RandomNormalLike and RandomUniformLike: random numbers of the input's shape, and of its
/// type without a `dtype`.
struct RandomLike {
  static constexpr std::string_view name = "RandomLike";
  Random op;
  std::optional<DatumType> dtype;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<RandomLike>);

}  // namespace strata::hir
