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

/// ONNX Runtime's GroupQueryAttention: attention over a cache of keys and values, whose heads are
/// shared by as many heads of the query in a row.
///
/// Inputs query [batch, steps, heads * size], key and value likewise with `key_heads`, or neither, when
/// the query goes on with both; the caches of earlier steps [batch, key_heads, places, size], which may
/// be left out; how many keys there are less one of each batch element; how many there are at most; the
/// cosines and sines of positions, the positions of the steps, and what is added to the products, all
/// of which may be left out. Outputs the result and the caches, with the new steps written behind the
/// earlier ones, and zeros behind those: as many places as there are keys at most, or as there were
/// when those are more.
///
/// Where there are as many steps as keys at most, they are a prompt: its elements begin at the first
/// place, also those with fewer keys, which are padded at their end.
struct GroupQueryAttention {
  static constexpr std::string_view name = "GroupQueryAttention";
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;
  std::optional<double> scale;         ///< of Q K^T; absent: 1 / sqrt(size)
  double softcap = 0;                  ///< as of Attention
  std::optional<std::int64_t> window;  ///< how many keys a query sees at most, itself included
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
