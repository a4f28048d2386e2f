#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// What output 3 of Attention shows.
enum class AttentionScores { products, capped, biased, probabilities };
constexpr auto enumerators(AttentionScores) {
  using enum AttentionScores;
  return std::to_array<std::pair<AttentionScores, std::string_view>>(
      {{products, "products"},
       {capped, "capped"},
       {biased, "biased"},
       {probabilities, "probabilities"}});
}

/// What a mask shorter than the keys does: stretch when it has size 1, or hide the keys it does not
/// reach.
enum class ShortMask { stretches, hides };
constexpr auto enumerators(ShortMask) {
  return std::to_array<std::pair<ShortMask, std::string_view>>(
      {{ShortMask::stretches, "stretches"}, {ShortMask::hides, "hides"}});
}

/// ONNX Attention: softmax(Q K^T) V for each head, where each head of K and V may be shared by
/// equally many successive heads of Q.
///
/// Inputs Q, K, V, of [batch, heads, steps, size] or [batch, steps, heads * size], then optional
/// ones: a mask (bool, or numbers that are added), the keys and values of earlier steps, and the
/// number of valid keys of each batch element. Query number i stands at position i + offset:
/// the offset is the number of earlier steps, or the number of valid keys less that of queries. A
/// query that sees no key gives zeros.
struct Attention {
  static constexpr std::string_view name = "Attention";
  std::optional<std::int64_t> query_heads;   ///< of Q with three axes
  std::optional<std::int64_t> key_heads;     ///< of K and V with three axes
  std::optional<double> scale;               ///< of Q K^T; absent: 1 / sqrt(size)
  double softcap = 0;                        ///< bounds the products by c tanh(x / c), unless 0
  std::optional<DatumType> softmax_type;     ///< absent: that of Q
  std::optional<std::int64_t> left_window;   ///< keys seen to the left of the query; absent: all
  std::optional<std::int64_t> right_window;  ///< likewise to the right; 0 for causal attention
  ShortMask short_mask = ShortMask::hides;
  AttentionScores scores = AttentionScores::products;

  static constexpr auto attributes() {
    return std::tuple{attr("query_heads", &Attention::query_heads),
                      attr("key_heads", &Attention::key_heads),
                      attr("scale", &Attention::scale),
                      attr("softcap", &Attention::softcap),
                      attr("softmax_type", &Attention::softmax_type),
                      attr("left_window", &Attention::left_window),
                      attr("right_window", &Attention::right_window),
                      attr("short_mask", &Attention::short_mask),
                      attr("scores", &Attention::scores)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
  /// Like `wire`, but `key_count`, an i64 vector of one element, says how many keys there are: what
  /// is made from it serves all attentions given the same one. Absent: each looks at its own keys.
  OutletIds wire_with(Builder& b, const OutletIds& in, OutletId key_count) const;
};
static_assert(InferenceOpDef<Attention>);

}  // namespace strata::hir
