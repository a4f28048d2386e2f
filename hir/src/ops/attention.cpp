#include "strata/hir/ops/attention.h"

#include <limits>

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kValidKeys };

constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// [batch, heads, steps, size], whichever form the operand has.
OutletId with_heads(Builder& b, OutletId x, std::string_view what,
                    const std::optional<std::int64_t>& heads) {
  const std::size_t rank = required_rank(b, x, what);
  check(rank == 3 || rank == 4, what, " of shape ", b.fact(x).shape, " has neither 3 nor 4 axes");
  if (rank == 4) return x;
  check(heads && *heads > 0, what, " has 3 axes, but no number of heads is given");
  return split_heads(b, x, *heads);
}

OutletId after_past(Builder& b, const OutletIds& in, std::size_t past, OutletId now) {
  return has(in, past) ? b.one(strata::Concat{2}, {in[past], now}) : now;
}

/// What is added to the products, put together from all that hides keys.
class BiasWirer {
 public:
  BiasWirer(Builder& b, const Attention& op, const OutletIds& in, OutletId q, OutletId k,
            OutletId key_count)
      : b_(b), op_(op), in_(in), q_(q), k_(k), given_count_(key_count), type_(b.fact(q).dtype) {}

  /// Broadcasts to the products; absent when no key is hidden.
  OutletId run() {
    OutletId numbers = kAbsent;
    if (has(in_, kMask)) {
      const OutletId mask = full_mask();
      if (b_.fact(mask).dtype == DatumType::boolean)
        see(mask);
      else
        numbers = mask;
    }
    see_window();
    if (has(in_, kValidKeys))
      see(binary(b_, BinaryOp::less, keys(), cast_to(b_, valid_keys(), DatumType::i64)));
    if (seen_.is_absent()) return numbers;
    if (numbers.is_absent()) numbers = b_.scalar(0, type_);
    return b_.one(Select{}, {seen_, numbers, b_.scalar(kHidden, type_)});
  }

  /// Whether every query is sure to see a key: what is causal and nothing else shows it the first.
  bool each_query_sees() const {
    return !has(in_, kMask) && !has(in_, kValidKeys) && !op_.left_window;
  }

 private:
  void see(OutletId condition) {
    seen_ = seen_.is_absent() ? condition : binary(b_, BinaryOp::truth_and, seen_, condition);
  }

  OutletId key_count() { return given_count_.is_absent() ? size_of_axis(b_, k_, 2) : given_count_; }
  OutletId keys() { return positions(b_, key_count()); }
  OutletId valid_keys() { return split_into(b_, in_[kValidKeys], {-1, 1, 1, 1}); }

  /// The mask over all keys, bool or of the type of the products.
  OutletId full_mask() {
    OutletId mask = in_[kMask];
    if (b_.fact(mask).dtype != DatumType::boolean) mask = cast_to(b_, mask, type_);
    if (op_.short_mask == ShortMask::stretches) return mask;
    const ShapeFact &shape = b_.fact(mask).shape, &keys = b_.fact(k_).shape;
    if (shape.is_known() && keys.is_known() && shape.rank() > 0 && shape.dims().back() == keys[2])
      return mask;
    const OutletId zero = b_.integers({0});
    const OutletId missing =
        binary(b_, BinaryOp::max, zero, sub(b_, key_count(), size_of_axis(b_, mask, -1)));
    const bool is_bool = b_.fact(mask).dtype == DatumType::boolean;
    const OutletId fill = is_bool ? b_.constant(Tensor::scalar(false)) : b_.scalar(kHidden, type_);
    return b_.one(strata::Pad{},
                  {mask, b_.one(strata::Concat{0}, {zero, missing}), fill, b_.integers({-1})});
  }

  /// The positions of the queries among the keys, a column.
  OutletId query_positions() {
    const OutletId count = size_of_axis(b_, q_, 2);
    const OutletId column = split_into(b_, positions(b_, count), {-1, 1});
    if (has(in_, kPastKey)) return add(b_, column, size_of_axis(b_, in_[kPastKey], 2));
    if (!has(in_, kValidKeys)) return column;
    return add(b_, column, sub(b_, valid_keys(), count));
  }

  void see_window() {
    if (!op_.left_window && !op_.right_window) return;
    const OutletId query = query_positions(), key = keys();
    const auto at = [&](std::int64_t distance) {
      return distance == 0 ? query
                           : add(b_, query, b_.constant(Tensor::scalar<std::int64_t>(distance)));
    };
    if (op_.right_window) see(binary(b_, BinaryOp::less_or_equal, key, at(*op_.right_window)));
    if (op_.left_window) see(binary(b_, BinaryOp::greater_or_equal, key, at(-*op_.left_window)));
  }

  Builder& b_;
  const Attention& op_;
  const OutletIds& in_;
  OutletId q_, k_;
  OutletId given_count_;
  DatumType type_;
  OutletId seen_ = kAbsent;
};

/// Heads of the query that share one of the keys, as an axis of their own behind that of the heads
/// of the keys: [batch, key_heads, heads / key_heads, steps, size]. Softmax and bias then meet the
/// products as they are, so that one kernel takes all of them.
class HeadGroups {
 public:
  /// Nothing where heads are not shared, or where it is not known how the bias goes along them.
  static std::optional<HeadGroups> of(Builder& b, OutletId q, OutletId k, OutletId bias) {
    const ShapeFact &queries = b.fact(q).shape, &keys = b.fact(k).shape;
    if (queries.is_open() || keys.is_open()) return std::nullopt;
    const auto heads = queries[1].constant(), key_heads = keys[1].constant();
    if (!heads || !key_heads || *heads == *key_heads) return std::nullopt;
    check_heads(*heads, *key_heads);
    if (!bias.is_absent()) {
      const ShapeFact& added = b.fact(bias).shape;
      if (added.is_open() || added.rank() == 3) return std::nullopt;
      if (added.rank() == 4 && added[1] != Dim(1) && added[1] != Dim(*heads)) return std::nullopt;
    }
    return HeadGroups(b, *heads, *key_heads);
  }

  /// [batch, heads, ..] with the heads in groups, and one head for all in a group of its own.
  OutletId split(OutletId x) const {
    if (b_.fact(x).shape[1] == Dim(1) || b_.fact(x).shape[1] == Dim(key_heads_)) return shared(x);
    return b_.one(Reshape{ReshapeZero::keep},
                  {x, joined({size_of_axis(b_, x, 0), b_.integers({key_heads_, -1}),
                              size_of_axis(b_, x, 2), size_of_axis(b_, x, 3)})});
  }
  /// What all heads of a group share.
  OutletId shared(OutletId x) const { return b_.one(Unsqueeze{}, {x, b_.integers({2})}); }
  OutletId split_bias(OutletId bias) const {
    return bias.is_absent() || b_.rank(bias) != 4u ? bias : split(bias);
  }
  /// Undoes `split`.
  OutletId join(OutletId x) const {
    return b_.one(Reshape{ReshapeZero::keep},
                  {x, joined({size_of_axis(b_, x, 0), b_.integers({heads_}), size_of_axis(b_, x, 3),
                              size_of_axis(b_, x, 4)})});
  }

 private:
  HeadGroups(Builder& b, std::int64_t heads, std::int64_t key_heads)
      : b_(b), heads_(heads), key_heads_(key_heads) {}
  OutletId joined(const OutletIds& sizes) const { return b_.one(strata::Concat{0}, sizes); }

  Builder& b_;
  std::int64_t heads_, key_heads_;
};

/// Zeros in the rows whose bias hides every key.
OutletId without_hidden_rows(Builder& b, OutletId probabilities, OutletId bias) {
  const OutletId greatest = reduce(b, Reduction::max, bias, b.integers({-1}));
  return b.one(Select{}, {binary(b, BinaryOp::equal, greatest, kHidden),
                          b.scalar(0, b.fact(probabilities).dtype), probabilities});
}

}  // namespace

void Attention::rules(Rules& r) const {
  const auto q = r.input(kQ, "Q"), k = r.input(kK, "K"), out = r.output(0, "Y");
  if (!query_heads) r.require(q.rank == 4);
  r.require(q.dtype == k.dtype);
  r.require(out.dtype == q.dtype);
  r.require(k.rank == q.rank);
  r.require(r.input(kV, "V").rank == q.rank);
  r.require(out.rank == q.rank);
  const std::int64_t steps = q.rank.known() == 3 ? 1 : 2;
  if (!q.rank.known()) return;
  r.require(out.shape[0] == q.shape[0]);
  r.require(out.shape[steps] == q.shape[steps]);
  r.require(k.shape[0] == q.shape[0]);
  r.require(r.input(kV, "V").shape[steps] == k.shape[steps]);
  if (q.rank.known() == 4) {
    r.require(k.shape[3] == q.shape[3]);
    r.require(out.shape[1] == q.shape[1]);
    r.require(out.shape[3] == r.input(kV, "V").shape[3]);
  }
  if (r.output_count() < 4) return;
  const auto products = r.output(3, "qk_matmul_output");
  r.require(products.shape[0] == q.shape[0]);
  r.require(products.shape[2] == q.shape[steps]);
  if (q.rank.known() == 4) r.require(products.shape[1] == q.shape[1]);
}

OutletIds Attention::wire(Builder& b, const OutletIds& in) const {
  return wire_with(b, in, kAbsent);
}

OutletIds Attention::wire_with(Builder& b, const OutletIds& in, OutletId key_count) const {
  check(has(in, kPastKey) == has(in, kPastValue), "past_key and past_value come only together");
  check(!has(in, kPastKey) || !has(in, kValidKeys),
        "nonpad_kv_seqlen does not go with past_key and past_value");
  const DatumType type = b.fact(in[kQ]).dtype, wide = computing_type(type);
  const OutletId q = cast_to(b, with_heads(b, in[kQ], "Q", query_heads), wide);
  const OutletId k = after_past(b, in, kPastKey, with_heads(b, in[kK], "K", key_heads));
  const OutletId v = after_past(b, in, kPastValue, with_heads(b, in[kV], "V", key_heads));

  const OutletId wide_k = cast_to(b, k, wide);
  BiasWirer bias_wirer(b, *this, in, q, wide_k, key_count);
  OutletId bias = bias_wirer.run();
  OutletIds operands{scaled_query(b, q, scale), wide_k, cast_to(b, v, wide)};
  const auto groups = HeadGroups::of(b, q, wide_k, bias);
  if (groups) {
    operands = {groups->split(operands[0]), groups->shared(wide_k), groups->shared(operands[2])};
    bias = groups->split_bias(bias);
  }
  const auto product = [&](OutletId x, OutletId y, RightSide side) {
    return groups ? b.one(strata::MatMul{.transpose_b = side == RightSide::transposed}, {x, y})
                  : grouped_product(b, x, y, side);
  };

  const OutletId products = product(operands[0], operands[1], RightSide::transposed);
  OutletId capped = products;
  if (softcap > 0) {
    const OutletId bounded = unary(b, UnaryOp::tanh, div(b, products, softcap));
    capped = mul(b, bounded, softcap);
  }
  const OutletId biased = bias.is_absent() ? capped : add(b, capped, bias);
  OutletId probabilities = b.one(Softmax{}, {cast_to(b, biased, softmax_type.value_or(wide))});
  if (!bias_wirer.each_query_sees()) probabilities = without_hidden_rows(b, probabilities, bias);
  probabilities = cast_to(b, probabilities, wide);

  const auto given = [&](OutletId x) { return cast_to(b, groups ? groups->join(x) : x, type); };
  OutletId y = given(product(probabilities, operands[2], RightSide::as_is));
  if (b.rank(in[kQ]) == 3u) y = join_heads(b, y);
  const OutletId stages[] = {products, capped, biased, probabilities};
  return {y, k, v, given(stages[static_cast<std::size_t>(scores)])};
}

}  // namespace strata::hir
