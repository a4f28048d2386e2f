#include "strata/hir/ops/multi_head_attention.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "ops/padding_mask.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/hir/ops/attention.h"

namespace strata::hir {
namespace {

/// What one attention is of; what may be missing is absent.
struct Operands {
  OutletId q, k, v;
  OutletId mask = kAbsent;
  OutletId bias = kAbsent;
  OutletId past_k = kAbsent;
  OutletId past_v = kAbsent;
  EndsMask mask_kind = EndsMask::ends;
};

/// How many keys there are with those of earlier steps, a vector of one element.
OutletId key_count(Builder& b, const Operands& x) {
  const std::int64_t steps_axis = required_rank(b, x.k, "the key") == 4 ? 2 : 1;
  const OutletId now = size_of_axis(b, x.k, steps_axis);
  return x.past_k.is_absent() ? now : add(b, now, size_of_axis(b, x.past_k, 2));
}

/// All that is added to the products.
OutletId whole_bias(Builder& b, const Operands& x, const HeadAttention& attention) {
  if (x.mask.is_absent()) return x.bias;
  const OutletId hiding = mask_bias(b, x.mask, x.q, key_count(b, x), attention.hidden, x.mask_kind);
  if (hiding.is_absent()) return x.bias;
  return x.bias.is_absent() ? hiding : add(b, hiding, x.bias);
}

/// The result, all keys, all values, and the products before the softmax.
OutletIds attend(Builder& b, const Operands& x, const HeadAttention& attention) {
  Attention op;
  op.query_heads = op.key_heads = attention.heads;
  op.scale = attention.scale;
  op.short_mask = ShortMask::stretches;
  op.scores = AttentionScores::biased;
  const ShapeFact& q = b.fact(x.q).shape;
  // One query stands behind all keys.
  const bool is_one_query = q.is_known() && q.rank() == 3 && q[1] == Dim(1);
  if (attention.is_causal && !is_one_query) op.right_window = 0;
  return op.wire(b, {x.q, x.k, x.v, whole_bias(b, x, attention), x.past_k, x.past_v});
}

/// The parts of [batch, steps, heads, parts, size], each [batch, steps, heads * size].
OutletIds unpacked(Builder& b, OutletId x, std::size_t parts) {
  OutletIds out = b.wire(Split{3, parts}, {x});
  for (OutletId& part : out) part = split_into(b, part, {0, 0, -1});
  return out;
}

/// Adds the parts of the bias of query, key and value, which lie in a row.
void add_bias(Builder& b, Operands& x, OutletId bias) {
  const OutletId width = size_of_axis(b, x.q, -1);
  const OutletId twice = mul(b, width, 2.0);
  const auto add_part = [&](OutletId& to, OutletId start, OutletId end) {
    if (b.rank(to) != 3u) return;  // keys of earlier steps, which have theirs
    to = add(b, to, b.one(strata::Slice{}, {bias, start, end}));
  };
  add_part(x.q, b.integers({0}), width);
  add_part(x.k, width, twice);
  add_part(x.v, twice, b.integers({INT64_MAX}));
}

/// The two halves of [2, batch, heads, steps, size].
void take_past(Builder& b, Operands& x, OutletId past) {
  const OutletId leading = b.integers({0});
  const OutletIds parts = b.wire(Split{0, 2}, {past});
  x.past_k = b.one(Squeeze{}, {parts[0], leading});
  x.past_v = b.one(Squeeze{}, {parts[1], leading});
}

/// The attention of query, key and value that lie side by side, with all keys and values in one
/// tensor.
OutletIds attend_packed(Builder& b, OutletId projected, const OutletIds& sizes, Operands x,
                        OutletId past, const HeadAttention& attention) {
  OutletIds operands{projected};
  for (const OutletId each : sizes) operands.push_back(each);
  const OutletIds parts = b.wire(Split{-1, 3}, operands);
  x.q = parts[0];
  x.k = parts[1];
  x.v = parts[2];
  x.mask_kind = EndsMask::ends_and_beginnings;
  if (!past.is_absent()) take_past(b, x, past);
  const OutletIds out = attend(b, x, attention);
  const auto stacked = [&](OutletId part) { return b.one(Unsqueeze{}, {part, b.integers({0})}); };
  // Values of another size than the keys have no place in one tensor with them.
  if (!sizes.empty()) return {out[0], kAbsent};
  return {out[0], b.one(strata::Concat{0}, {stacked(out[1]), stacked(out[2])})};
}

enum Multi : std::size_t {
  kQuery,
  kKey,
  kValue,
  kBias,
  kPaddingMask,
  kAttentionBias,
  kPastKey,
  kPastValue
};

}  // namespace

void MultiHeadAttention::rules(Rules& r) const {
  const auto q = r.input(kQuery, "query"), out = r.output(0, "output");
  r.require(out.dtype == q.dtype);
  r.require(out.rank == 3);
  r.require(out.shape[0] == q.shape[0]);
  r.require(out.shape[1] == q.shape[1]);
  for (const std::size_t i : {kKey, kValue, kBias, kAttentionBias, kPastKey, kPastValue})
    if (r.has_input(i)) r.require(r.input(i, "key, value, bias or past").dtype == q.dtype);
  if (!r.has_input(kKey)) return;
  r.require(q.rank == 3);
  r.require(r.input(kKey, "key").shape[0] == q.shape[0]);
}

OutletIds MultiHeadAttention::wire(Builder& b, const OutletIds& in) const {
  Operands x{in[kQuery],
             optional_input(in, kKey),
             optional_input(in, kValue),
             optional_input(in, kPaddingMask),
             optional_input(in, kAttentionBias),
             optional_input(in, kPastKey),
             optional_input(in, kPastValue)};
  check(x.past_k.is_absent() == x.past_v.is_absent(), "past_key and past_value come only together");
  if (x.k.is_absent()) {
    check(required_rank(b, x.q, "query") == 5, "without a key the query holds all three as ",
          "[batch, steps, heads, 3, size], its shape is ", b.fact(x.q).shape);
    const OutletIds parts = unpacked(b, x.q, 3);
    x.q = parts[0];
    x.k = parts[1];
    x.v = parts[2];
  } else if (x.v.is_absent()) {
    check(required_rank(b, x.k, "key") == 5, "without a value the key holds both as ",
          "[batch, steps, heads, 2, size], its shape is ", b.fact(x.k).shape);
    const OutletIds parts = unpacked(b, x.k, 2);
    x.k = parts[0];
    x.v = parts[1];
  }
  if (has(in, kBias)) add_bias(b, x, in[kBias]);
  return attend(b, x, attention);
}

void PackedAttention::rules(Rules& r) const {
  const auto x = r.input(0, "input"), weights = r.input(1, "weights"), out = r.output(0, "output");
  r.require(x.rank == 3);
  r.require(weights.rank == 2);
  r.require(out.rank == 3);
  r.require(weights.dtype == x.dtype);
  r.require(out.dtype == x.dtype);
  r.require(weights.shape[0] == x.shape[2]);
  r.require(out.shape[0] == x.shape[0]);
  r.require(out.shape[1] == x.shape[1]);
  if (!r.has_input(2)) return;
  r.require(r.input(2, "bias").dtype == x.dtype);
  r.require(r.input(2, "bias").rank == 1);
  r.require(r.input(2, "bias").shape[0] == weights.shape[1]);
}

OutletIds PackedAttention::wire(Builder& b, const OutletIds& in) const {
  enum : std::size_t { kX, kWeights, kItsBias, kMask, kPast, kAdded };
  OutletId projected = b.one(strata::MatMul{}, {in[kX], in[kWeights]});
  if (has(in, kItsBias)) projected = add(b, projected, in[kItsBias]);
  OutletIds sizes;
  if (!hidden_sizes.empty()) sizes = {b.integers(hidden_sizes)};
  Operands x{};
  x.mask = optional_input(in, kMask);
  x.bias = optional_input(in, kAdded);
  return attend_packed(b, projected, sizes, x, optional_input(in, kPast), attention);
}

void QuantizedAttention::rules(Rules& r) const {
  const auto x = r.input(0, "input"), weights = r.input(1, "weight"), out = r.output(0, "output");
  r.require(x.rank == 3);
  r.require(weights.rank == 2);
  r.require(out.rank == 3);
  r.require(weights.shape[0] == x.shape[2]);
  r.require(out.shape[0] == x.shape[0]);
  r.require(out.shape[1] == x.shape[1]);
  r.require(out.dtype == r.input(2, "bias").dtype);
  if (r.has_input(6)) r.require(r.input(6, "input_zero_point").dtype == x.dtype);
  if (r.has_input(7)) r.require(r.input(7, "weight_zero_point").dtype == weights.dtype);
}

OutletIds QuantizedAttention::wire(Builder& b, const OutletIds& in) const {
  enum : std::size_t { kX, kWeights, kItsBias, kXScale, kScale, kMask, kXZero, kZero, kPast };
  const DatumType type = b.fact(in[kItsBias]).dtype;
  const auto real = [&](OutletId x, OutletId scale, OutletId zero) {
    return b.one(Dequantize{type, 1}, without_trailing_absent({x, scale, zero}));
  };
  const OutletId x = real(in[kX], in[kXScale], optional_input(in, kXZero));
  const OutletId weights = real(in[kWeights], in[kScale], optional_input(in, kZero));
  const OutletId product = b.one(strata::MatMul{}, {x, weights});
  Operands operands{};
  operands.mask = optional_input(in, kMask);
  return attend_packed(b, add(b, product, in[kItsBias]), {}, operands, optional_input(in, kPast),
                       attention);
}

}  // namespace strata::hir
