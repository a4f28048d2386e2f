#pragma once

#include "strata/hir/inference_op.h"
#include "strata/hir/ops/rotary_embedding.h"

namespace strata::hir {

/// ONNX Runtime's RotaryEmbedding: ONNX's with the positions as input 1, which may also be one
/// number, that of the first step.
///
/// Inputs x, as in RotaryEmbedding, the positions i64[batch, steps] or i64[1], the cosines and the
/// sines of [positions, pairs].
struct CachedRotaryEmbedding {
  static constexpr std::string_view name = "CachedRotaryEmbedding";
  RotaryEmbedding rotary;  ///< for three axes without a number of heads, the cosines tell it

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<CachedRotaryEmbedding>);

}  // namespace strata::hir
