#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX LinearAttention: attention as a recurrence over a state S of [key size, value size] per
/// head.
///
/// Inputs Q, K, V, of [batch, steps, heads * size], then the state before the first step (else
/// zeros), the decay g, and the update rate beta. Each step does, for each head of K and V:
///   S  <-  exp(g) S                      (decays)
///   v  <-  beta (v - S^T k)              (corrects)
///   S  <-  S + k v^T
/// and gives scale S^T q for each head of Q that shares it. Output 1 is the last state. All is
/// computed in f32.
struct LinearAttention {
  static constexpr std::string_view name = "LinearAttention";
  std::int64_t query_heads = 1;
  std::int64_t key_heads = 1;
  std::optional<double> scale;  ///< absent: 1 / sqrt(key size)

  static constexpr auto attributes() {
    return std::tuple{attr("query_heads", &LinearAttention::query_heads),
                      attr("key_heads", &LinearAttention::key_heads),
                      attr("scale", &LinearAttention::scale)};
  }
  void rules(Rules& r) const;
  /// It decays when there is a g, and corrects when there is a beta.
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<LinearAttention>);

}  // namespace strata::hir
