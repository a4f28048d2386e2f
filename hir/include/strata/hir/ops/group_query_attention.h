#pragma once

#include "strata/hir/inference_op.h"
#include "strata/hir/ops/rotary_embedding.h"

namespace strata::hir {

/// Whether GroupQueryAttention turns queries and keys by their positions.
enum class TurnHeads { no, yes };
constexpr auto enumerators(TurnHeads) {
  return std::to_array<std::pair<TurnHeads, std::string_view>>(
      {{TurnHeads::no, "no"}, {TurnHeads::yes, "yes"}});
}

/// ONNX Runtime's GroupQueryAttention: attention over a cache of keys and values, each of whose
/// heads is shared by equally many successive heads of the query.
///
/// Inputs query [batch, steps, heads * size], key and value likewise with `key_heads`, or neither,
/// when they follow in the query; the caches of earlier steps [batch, key_heads, places, size],
/// which may be left out; the number of keys of each batch element, less one; the most that any
/// has; the cosines and sines of positions, the positions of the steps, and what is added to the
/// products, all of which may be left out. Outputs the result and the caches, with the new steps
/// written behind the earlier ones, and zeros behind those: as many places as the most keys, or as
/// there were before if that is more.
///
/// Where there are as many steps as the most keys, they are a prompt: each batch element begins at
/// the first place, even one with fewer keys, which is padded at its end.
struct GroupQueryAttention {
  static constexpr std::string_view name = "GroupQueryAttention";
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;
  std::optional<double> scale;         ///< of Q K^T; absent: 1 / sqrt(size)
  double softcap = 0;                  ///< as in Attention
  std::optional<std::int64_t> window;  ///< the most keys that a query sees, its own included
  bool is_causal = true;
  TurnHeads turn = TurnHeads::no;
  RotaryPairs pairs = RotaryPairs::halves;

  static constexpr auto attributes() {
    return std::tuple{attr("heads", &GroupQueryAttention::heads),
                      attr("key_heads", &GroupQueryAttention::key_heads),
                      attr("scale", &GroupQueryAttention::scale),
                      attr("softcap", &GroupQueryAttention::softcap),
                      attr("window", &GroupQueryAttention::window),
                      attr("is_causal", &GroupQueryAttention::is_causal),
                      attr("turn", &GroupQueryAttention::turn),
                      attr("pairs", &GroupQueryAttention::pairs)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<GroupQueryAttention>);

}  // namespace strata::hir
