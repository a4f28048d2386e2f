#include "strata/hir/ops/group_query_attention.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/reduce.h"
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

/// A cache and the new steps it gets; key or value, [batch, heads, steps, size].
struct Growth {
  OutletId cache, now;
};

/// How new steps come into a cache.
struct Places {
  OutletId most;        ///< a vector of one element: the keys at most
  OutletId start, end;  ///< of the new steps of each batch element
};

/// A cache with zeros behind it, as many places as there are keys at most.
OutletId lengthened(Builder& b, OutletId cache, OutletId most_keys) {
  const OutletId places = size_of_axis(b, cache, 2);
  const OutletId most = binary(b, BinaryOp::max, most_keys, places);
  const OutletId sizes =
      b.one(strata::Concat{0}, {size_of_axis(b, cache, 0), size_of_axis(b, cache, 1),
                                sub(b, most, places), size_of_axis(b, cache, 3)});
  const OutletId zeros = b.one(Expand{}, {b.scalar(0, b.fact(cache).dtype), sizes});
  return b.one(strata::Concat{2}, {cache, zeros});
}

/// A cache with the new steps written to their places, and zeros behind them.
OutletId written(Builder& b, const Growth& growth, const Places& at) {
  const OutletId cache =
      b.one(TensorScatter{2}, {lengthened(b, growth.cache, at.most), growth.now, at.start});
  const OutletId places = positions(b, size_of_axis(b, cache, 2));
  const OutletId is_used = binary(b, BinaryOp::less, split_into(b, places, {-1, 1}),
                                  split_into(b, at.end, {-1, 1, 1, 1}));
  return b.one(Select{}, {is_used, cache, b.scalar(0, b.fact(growth.now).dtype)});
}

/// A cache that ends where the new steps begin.
OutletId appended(Builder& b, const Growth& growth) {
  return b.one(strata::Concat{2}, {growth.cache, growth.now});
}

/// Whether a cache of `places`, a vector of one element, ends where all new steps begin, and is as
/// long as the keys at most then: a scalar.
OutletId is_full(Builder& b, OutletId places, const Places& at, OutletId steps) {
  const OutletId ends = add(b, places, steps);
  const OutletId fits =
      binary(b, BinaryOp::truth_and, binary(b, BinaryOp::equal, at.start, places),
             binary(b, BinaryOp::equal, binary(b, BinaryOp::max, at.most, places), ends));
  return b.one(strata::Reduce{.op = Reduction::min, .keep_dims = false}, {fits});
}

/// A body of an If that makes key and value of its inputs, which are those of the other one too.
template <class Make>
Body branch(Builder& outer, const OutletIds& captured, const Make& make) {
  TypedModel model(outer.target().symbol_scope());
  OutletIds in;
  for (const OutletId wire : captured)
    in.push_back(model.add_source(cat("in", in.size()), outer.fact(wire).without_value()));
  Builder body(model, "cache");
  model.add_output("key", make(body, Growth{in[0], in[1]}, Places{in[4], in[5], in[6]}));
  model.add_output("value", make(body, Growth{in[2], in[3]}, Places{in[4], in[5], in[6]}));
  model.compact();
  return std::make_shared<TypedModel>(std::move(model));
}

/// Key and value with their caches. Mostly each cache ends where the new steps begin, so that they
/// are joined; else they are written to their places.
OutletIds with_caches(Builder& b, const Growth& key, const Growth& value, const Places& at,
                      OutletId steps) {
  const OutletIds captured{key.cache, key.now, value.cache, value.now, at.most, at.start, at.end};
  const auto append = [](Builder& body, const Growth& growth, const Places&) {
    return appended(body, growth);
  };
  OutletIds in{is_full(b, size_of_axis(b, key.cache, 2), at, steps)};
  in.insert(in.end(), captured.begin(), captured.end());
  return b.wire(strata::If{branch(b, captured, append), branch(b, captured, written)}, in);
}

class CacheWirer {
 public:
  CacheWirer(Builder& b, const GroupQueryAttention& op, const OutletIds& in)
      : b_(b), op_(op), in_(in) {}

  OutletIds run() {
    split();
    find_places();
    if (op_.turn == TurnHeads::yes) turn();
    OutletIds now{k_, v_};
    if (has(in_, kPastKey))
      now = with_caches(b_, {in_[kPastKey], k_}, {in_[kPastValue], v_}, {most_, start_, end_},
                        steps_);
    return {attention(now[0], now[1]), now[0], now[1]};
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
    valid_ = add(b_, i64_vector(in_[kKeysLessOne]), 1.0);
    const OutletId is_prompt = binary(b_, BinaryOp::equal, most_, steps_);
    end_ = b_.one(Select{}, {is_prompt, steps_, valid_});
    start_ = sub(b_, end_, steps_);
  }

  OutletId step_positions() {
    if (has(in_, kPositions)) return in_[kPositions];
    return add(b_, split_into(b_, start_, {-1, 1}), positions(b_, steps_));
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

  /// Of the caches with the new steps: at least so many as there are places.
  OutletId key_count() {
    if (!has(in_, kPastKey)) return kAbsent;
    return binary(b_, BinaryOp::max, most_, size_of_axis(b_, in_[kPastKey], 2));
  }

  OutletId attention(OutletId k, OutletId v) {
    Attention op;
    op.scale = op_.scale;
    op.softcap = op_.softcap;
    if (op_.is_causal) op.right_window = 0;
    if (op_.window) op.left_window = *op_.window - 1;
    const OutletId bias = has(in_, kBias) ? in_[kBias] : kAbsent;
    const OutletId seen = op_.is_causal ? end_ : valid_;
    const OutletIds in{q_, k, v, bias, kAbsent, kAbsent, seen};
    return join_heads(b_, op.wire_with(b_, in, key_count())[0]);
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
  if (r.has_input(kPastKey) && r.has_input(kPastValue))
    r.require(r.input(kPastKey, "past_key").shape[2] == r.input(kPastValue, "past_value").shape[2]);
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
