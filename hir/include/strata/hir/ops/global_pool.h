#pragma once

#include "strata/core/ops/pool.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX GlobalAveragePool, GlobalLpPool and GlobalMaxPool: each channel reduced to one element.
struct GlobalPool {
  static constexpr std::string_view name = "GlobalPool";
  PoolKind kind = PoolKind::average;
  double p = 2;  ///< of the kind lp

  static constexpr auto attributes() {
    return std::tuple{attr("kind", &GlobalPool::kind), attr("p", &GlobalPool::p)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<GlobalPool>);

}  // namespace strata::hir
