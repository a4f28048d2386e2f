#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Attention of f32, head by head: softmax(cap(scale Q K^T) + mask) V, where cap(x) is
/// cap * tanh(x / cap), or x where `cap` is 0.
///
///   inputs   q f32[.., queries, depth]; k f32[.., keys, depth]; v f32[.., keys, width];
///            mask f32[..] that broadcasts with [.., queries, keys] (may be missing)
///   output   f32[.., queries, width]; the leading axes broadcast
///
/// Operands and the output may lie with their axes in another order: each perm tells where the axes
/// named here come from, as in Transpose; if it is empty, they lie in this order. Where a head of k
/// and v serves several of q, `heads_per_key` side by side, k and v have that many times fewer
/// heads.
struct AttentionKernel {
  static constexpr std::string_view name = "AttentionKernel";
  float scale = 1;
  float cap = 0;
  bool hidden_as_zero = false;  ///< a query from which the mask hides all keys gives 0, not NaN
  std::int64_t heads_per_key = 1;
  std::vector<std::int64_t> perm_q;
  std::vector<std::int64_t> perm_k;
  std::vector<std::int64_t> perm_v;
  std::vector<std::int64_t> perm_y;  ///< keeps the innermost axis
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("scale", &AttentionKernel::scale),
                      attr("cap", &AttentionKernel::cap),
                      attr("hidden_as_zero", &AttentionKernel::hidden_as_zero),
                      attr("heads_per_key", &AttentionKernel::heads_per_key),
                      attr("perm_q", &AttentionKernel::perm_q),
                      attr("perm_k", &AttentionKernel::perm_k),
                      attr("perm_v", &AttentionKernel::perm_v),
                      attr("perm_y", &AttentionKernel::perm_y),
                      attr("isa", &AttentionKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<AttentionKernel>);

}  // namespace strata
