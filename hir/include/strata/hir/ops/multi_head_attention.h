#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// What ONNX Runtime's attention ops have in common.
struct HeadAttention {
  std::int64_t heads = 1;
  std::optional<double> scale;  ///< of Q K^T; absent: 1 / sqrt(size)
  double hidden = -10000;       ///< what a mask of 0 and 1 adds to the products of a key it hides
  bool is_causal = false;
};

/// ONNX Runtime's MultiHeadAttention.
///
/// Inputs query [batch, steps, heads * size], key and value likewise or as [batch, heads, steps,
/// size], then optional ones: a bias for all three in a row, a mask of integers, what is added to
/// the products, and the keys and values of earlier steps. The query may hold all three, as [batch,
/// steps, heads, 3, size], and the key the value, as [batch, steps, heads, 2, size]. The mask is
/// [batch, keys] or [batch, steps, keys], 0 where it hides a key, or the number of keys of each
/// batch element. Outputs the result, all keys and values, and the products before the softmax.
struct MultiHeadAttention {
  static constexpr std::string_view name = "MultiHeadAttention";
  HeadAttention attention;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<MultiHeadAttention>);

/// ONNX Runtime's Attention: the projection of one input to query, key and value, and their
/// attention.
///
/// Inputs x [batch, steps, inner], the weights of the three side by side, then optional ones: their
/// bias, a mask as in MultiHeadAttention, which may also be the ends of the keys of all batch
/// elements and then their beginnings, the keys and values of earlier steps in one tensor [2,
/// batch, heads, steps, size], and what is added to the products. Outputs the result, and all keys
/// and values in one tensor.
struct PackedAttention {
  static constexpr std::string_view name = "PackedAttention";
  HeadAttention attention;
  Shape hidden_sizes;  ///< of query, key and value; empty: the same

  static constexpr auto attributes() {
    return std::tuple{attr("hidden_sizes", &PackedAttention::hidden_sizes)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<PackedAttention>);

/// ONNX Runtime's QAttention: a PackedAttention of a quantised input and quantised weights.
///
/// Inputs x, the weights, their bias, the scales of x and of the weights, a mask, the zero points
/// of x and of the weights, and the keys and values of earlier steps; the last four may be left
/// out.
struct QuantizedAttention {
  static constexpr std::string_view name = "QuantizedAttention";
  HeadAttention attention;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<QuantizedAttention>);

}  // namespace strata::hir
