#include "strata/hir/ops/linear_model.h"

#include "ops/arithmetic.h"
#include "ops/post_transform.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"

namespace strata::hir {
namespace {

/// x coefficients^T + intercepts
OutletId linear_scores(Builder& b, OutletId x, const Tensor& coefficients,
                       const Tensor& intercepts) {
  const DatumType type = score_type(b, x);
  const OutletId products = b.one(MatMul{.transpose_b = true},
                                  {rows_of(b, x, type), b.constant(cast(coefficients, type))});
  return add(b, products, b.constant(cast(intercepts, type)));
}

/// The one label where the score reaches the threshold, else 0 or no text.
OutletId label_or_nothing(Builder& b, OutletId scores, const Tensor& label, double threshold) {
  const Tensor both = label.dtype() == DatumType::string
                          ? Tensor::of<std::string>({2}, {"", label.as<std::string>()[0]})
                          : Tensor::of<std::int64_t>({2}, {0, label.as<std::int64_t>()[0]});
  const OutletId reached = binary(b, BinaryOp::greater_or_equal, scores, threshold);
  const OutletId place = b.one(Reshape{}, {cast_to(b, reached, DatumType::i64), b.integers({-1})});
  return b.one(Gather{0}, {b.constant(both), place});
}

}  // namespace

void LinearRegressor::rules(Rules& r) const {
  r.require(r.output(0, "Y").dtype == DatumType::f32);
  r.require(r.output(0, "Y").rank == 2);
  r.require(r.input(0, "X").shape[-1] == Dim(coefficients.shape()[1]));
  require_rows(r);
}

OutletIds LinearRegressor::wire(Builder& b, const OutletIds& in) const {
  const OutletId scores = linear_scores(b, in[0], coefficients, intercepts);
  return {cast_to(b, transformed(b, scores, transform), DatumType::f32)};
}

void LinearClassifier::rules(Rules& r) const {
  r.require(r.output(0, "Y").dtype == labels.dtype());
  r.require(r.output(0, "Y").rank == 1);
  r.require(r.input(0, "X").shape[-1] == Dim(coefficients.shape()[1]));
  require_rows(r);
}

OutletIds LinearClassifier::wire(Builder& b, const OutletIds& in) const {
  OutletId scores = linear_scores(b, in[0], coefficients, intercepts);
  const bool is_one_score = coefficients.shape()[0] == 1;
  if (is_one_score && labels.size() == 2) scores = both_signs(b, scores);
  const OutletId shown = transformed(b, scores, transform);
  const OutletId label =
      is_one_score && labels.size() == 1
          ? label_or_nothing(b, shown, labels, transform == PostTransform::none ? 0 : 0.5)
          : chosen_label(b, scores, labels);
  return {label, cast_to(b, shown, DatumType::f32)};
}

}  // namespace strata::hir
