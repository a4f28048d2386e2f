#include "strata/hir/ops/group_query_attention.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/tensor_scatter.h"
#include "strata/core/ops/transpose.h"
#include "strata/hir/ops/attention.h"

namespace strata::hir {
namespace {

enum Input : std::size_t {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kKeysLessOne,
  kMostKeys,
  kCosines,
  kSines,
  kPositions,
  kBias
};

class CacheWirer {
 public:
  CacheWirer(Builder& b, const GroupQueryAttention& op, const OutletIds& in)
      : b_(b), op_(op), in_(in) {}

  OutletIds run() {
    split();
    find_places();
    if (op_.turn == TurnHeads::yes) turn();
    const OutletId k = with_past(k_, kPastKey), v = with_past(v_, kPastValue);
    return {attention(k, v), k, v};
  }

 private:
  OutletId i64_vector(OutletId x) {
    return b_.one(Reshape{}, {cast_to(b_, x, DatumType::i64), b_.integers({-1})});
  }

  /// Query, key and value as [batch, heads, steps, size].
  void split() {
    q_ = in_[kQuery];
    if (has(in_, kKey)) {
      q_ = split_heads(b_, q_, op_.heads);
      k_ = split_heads(b_, in_[kKey], op_.key_heads);
      v_ = split_heads(b_, in_[kValue], op_.key_heads);
      return;
    }
    const OutletId all = split_heads(b_, q_, op_.heads + 2 * op_.key_heads);
    const OutletIds parts =
        b_.wire(Split{1, 3}, {all, b_.integers({op_.heads, op_.key_heads, op_.key_heads})});
    q_ = parts[0];
    k_ = parts[1];
    v_ = parts[2];
  }

  /// Where the new steps of each batch element begin and end.
  void find_places() {
    steps_ = size_of_axis(b_, q_, 2);
    most_ = i64_vector(in_[kMostKeys]);
    valid_ = binary(b_, BinaryOp::add, i64_vector(in_[kKeysLessOne]), 1.0);
    const OutletId is_prompt = binary(b_, BinaryOp::equal, most_, steps_);
    end_ = b_.one(Select{}, {is_prompt, steps_, valid_});
    start_ = binary(b_, BinaryOp::sub, end_, steps_);
  }

  OutletId step_positions() {
    if (has(in_, kPositions)) return in_[kPositions];
    return binary(b_, BinaryOp::add, split_into(b_, start_, {-1, 1}), positions(b_, steps_));
  }

  void turn() {
    check(has(in_, kCosines) && has(in_, kSines), "do_rotary takes cos_cache and sin_cache");
    const ShapeFact& cosines = b_.fact(in_[kCosines]).shape;
    require(cosines.is_known() && cosines.rank() == 2 && cosines[1].constant(),
            ErrorKind::unsupported, "how many elements of a head a cos_cache of shape ", cosines,
            " turns is not known");
    const ShapeFact& q = b_.fact(q_).shape;
    const std::int64_t turned = 2 * *cosines[1].constant();
    const bool all = q.is_known() && q[3] == Dim(turned);
    const RotaryEmbedding rotary{std::nullopt, all ? 0 : turned, op_.pairs};
    const OutletId at = step_positions();
    for (OutletId* each : {&q_, &k_})
      *each = rotary.wire(b_, {*each, in_[kCosines], in_[kSines], at})[0];
  }

  /// A cache with zeros behind it, as many places as there are keys at most.
  OutletId lengthened(OutletId cache) {
    const OutletId places = size_of_axis(b_, cache, 2);
    const OutletId most = binary(b_, BinaryOp::max, most_, places);
    const OutletId sizes = b_.one(
        strata::Concat{0}, {size_of_axis(b_, cache, 0), size_of_axis(b_, cache, 1),
                            binary(b_, BinaryOp::sub, most, places), size_of_axis(b_, cache, 3)});
    const OutletId zeros = b_.one(Expand{}, {b_.scalar(0, b_.fact(cache).dtype), sizes});
    return b_.one(strata::Concat{2}, {cache, zeros});
  }

  /// A cache with the new steps written to their places, and zeros behind them.
  OutletId with_past(OutletId now, Input past) {
    if (!has(in_, past)) return now;
    const OutletId written = b_.one(TensorScatter{2}, {lengthened(in_[past]), now, start_});
    const OutletId places = positions(b_, size_of_axis(b_, written, 2));
    const OutletId is_used = binary(b_, BinaryOp::less, split_into(b_, places, {-1, 1}),
                                    split_into(b_, end_, {-1, 1, 1, 1}));
    return b_.one(Select{}, {is_used, written, b_.scalar(0, b_.fact(now).dtype)});
  }

  OutletId attention(OutletId k, OutletId v) {
    Attention op;
    op.scale = op_.scale;
    op.softcap = op_.softcap;
    if (op_.is_causal) op.right_window = 0;
    if (op_.window) op.left_window = *op_.window - 1;
    const OutletId bias = has(in_, kBias) ? in_[kBias] : kAbsent;
    const OutletId seen = op_.is_causal ? end_ : valid_;
    return join_heads(b_, op.wire(b_, {q_, k, v, bias, kAbsent, kAbsent, seen})[0]);
  }

  Builder& b_;
  const GroupQueryAttention& op_;
  const OutletIds& in_;
  OutletId q_, k_, v_;
  OutletId steps_, most_;  ///< vectors of one element
  OutletId valid_, start_, end_;
};

}  // namespace

void GroupQueryAttention::rules(Rules& r) const {
  const auto q = r.input(kQuery, "query"), out = r.output(0, "output");
  r.require(q.rank == 3);
  r.require(out.rank == 3);
  r.require(out.dtype == q.dtype);
  r.require(out.shape[0] == q.shape[0]);
  r.require(out.shape[1] == q.shape[1]);
  for (const std::size_t i : {kPastKey, kPastValue}) {
    if (!r.has_input(i)) continue;
    r.require(r.input(i, "past").rank == 4);
    r.require(r.input(i, "past").dtype == q.dtype);
    r.require(r.input(i, "past").shape[1] == Dim(key_heads));
  }
  if (!r.has_input(kKey)) return;
  r.require(out.shape[2] == q.shape[2]);
  for (const std::size_t i : {kKey, kValue}) {
    if (!r.has_input(i)) continue;
    const auto each = r.input(i, "key or value");
    r.require(each.rank == 3);
    r.require(each.dtype == q.dtype);
    r.require(each.shape[0] == q.shape[0]);
    r.require(each.shape[1] == q.shape[1]);
  }
}

OutletIds GroupQueryAttention::wire(Builder& b, const OutletIds& in) const {
  check(has(in, kKey) == has(in, kValue), "key and value come only together");
  check(has(in, kPastKey) == has(in, kPastValue), "past_key and past_value come only together");
  return CacheWirer(b, *this, in).run();
}

}  // namespace strata::hir
