#include "strata/hir/ops/tree_model.h"

#include <algorithm>

#include "ops/arithmetic.h"
#include "ops/post_transform.h"
#include "strata/core/ops/concat.h"

namespace strata::hir {
namespace {

/// f32 when both x and the thresholds are; f64 holds all the others.
DatumType tree_type(const Builder& b, OutletId x, const strata::TreeEnsemble& trees) {
  return trees.thresholds.dtype() == DatumType::f32 ? score_type(b, x) : DatumType::f64;
}

OutletId tree_scores(Builder& b, OutletId x, strata::TreeEnsemble trees) {
  const DatumType type = tree_type(b, x, trees);
  trees.thresholds = cast(trees.thresholds, type);
  trees.members = cast(trees.members, type);
  trees.leaf_weights = cast(trees.leaf_weights, type);
  return b.one(trees, {rows_of(b, x, type)});
}

OutletId with_base(Builder& b, OutletId scores, const Tensor& base) {
  if (base.size() == 0) return scores;
  return add(b, scores, b.constant(cast(base, b.fact(scores).dtype)));
}

/// 1 - s and s
OutletId complement_and_score(Builder& b, OutletId score) {
  return b.one(strata::Concat{1}, {one_minus(b, score), score});
}

bool has_negative(const Tensor& weights) {
  const Tensor numbers = cast(weights, DatumType::f64);
  const auto all = numbers.as<double>();
  return std::any_of(all.begin(), all.end(), [](double weight) { return weight < 0; });
}

}  // namespace

void TreeRegressor::rules(Rules& r) const {
  r.require(r.output(0, "Y").dtype == DatumType::f32);
  r.require(r.output(0, "Y").rank == 2);
  require_rows(r);
}

OutletIds TreeRegressor::wire(Builder& b, const OutletIds& in) const {
  OutletId scores = tree_scores(b, in[0], trees);
  if (divisor != 1) scores = div(b, scores, divisor);
  scores = with_base(b, scores, base);
  return {cast_to(b, transformed(b, scores, transform), DatumType::f32)};
}

void TreeClassifier::rules(Rules& r) const {
  r.require(r.output(0, "Y").dtype == labels.dtype());
  r.require(r.output(0, "Y").rank == 1);
  require_rows(r);
}

OutletIds TreeClassifier::wire(Builder& b, const OutletIds& in) const {
  OutletId scores = with_base(b, tree_scores(b, in[0], trees), base);
  if (trees.targets == 1) {
    const bool is_plain = transform == PostTransform::none || transform == PostTransform::probit;
    const bool is_probability = is_plain && !has_negative(trees.leaf_weights);
    scores = is_probability ? complement_and_score(b, scores) : both_signs(b, scores);
  }
  // A softmax that leaves zeros out keeps classes without votes from being chosen.
  const OutletId shown = transformed(b, scores, transform);
  return {chosen_label(b, shown, labels), cast_to(b, shown, DatumType::f32)};
}

}  // namespace strata::hir
