#include "ops/post_transform.h"

#include <numbers>

#include "ops/arithmetic.h"
#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/softmax.h"

namespace strata::hir {
namespace {

/// exp(x) / sum(exp(x)) over the scores of a row that are not 0; those that are stay 0.
OutletId softmax_of_nonzero(Builder& b, OutletId x) {
  const OutletId last = b.integers({-1}), zero = b.scalar(0, b.fact(x).dtype);
  const OutletId is_zero = binary(b, BinaryOp::equal, x, zero);
  const OutletId shifted = sub(b, x, reduce(b, Reduction::max, x, last));
  const OutletId powers = b.one(Select{}, {is_zero, zero, unary(b, UnaryOp::exp, shifted)});
  const OutletId sum = reduce(b, Reduction::sum, powers, last);
  return b.one(Select{}, {is_zero, zero, div(b, powers, sum)});
}

/// sqrt(2) * erfinv(2p - 1), with Winitzki's approximation of erfinv.
OutletId probit(Builder& b, OutletId p) {
  constexpr double kA = 0.147;
  const OutletId x = sub(b, mul(b, p, 2), 1);
  const OutletId log = unary(b, UnaryOp::log, one_minus(b, unary(b, UnaryOp::square, x)));
  const OutletId v = add(b, mul(b, log, 0.5), 2 / (std::numbers::pi * kA));
  const OutletId inner = sub(b, unary(b, UnaryOp::square, v), div(b, log, kA));
  const OutletId root = unary(b, UnaryOp::sqrt, sub(b, unary(b, UnaryOp::sqrt, inner), v));
  return mul(b, mul(b, unary(b, UnaryOp::sign, x), root), std::numbers::sqrt2);
}

}  // namespace

OutletId transformed(Builder& b, OutletId scores, PostTransform transform) {
  switch (transform) {
    case PostTransform::none:
      return scores;
    case PostTransform::softmax:
      return b.one(Softmax{}, {scores});
    case PostTransform::logistic:
      return unary(b, UnaryOp::sigmoid, scores);
    case PostTransform::softmax_zero:
      return softmax_of_nonzero(b, scores);
    case PostTransform::probit:
      return probit(b, scores);
  }
  fail(ErrorKind::internal, "a transform that is unknown");
}

OutletId both_signs(Builder& b, OutletId score) {
  return b.one(strata::Concat{1}, {unary(b, UnaryOp::neg, score), score});
}

OutletId chosen_label(Builder& b, OutletId scores, const Tensor& labels) {
  const OutletId best = b.one(ArgReduce{.axis = -1, .keep_dims = false}, {scores});
  return b.one(Gather{0}, {b.constant(labels), best});
}

DatumType score_type(const Builder& b, OutletId x) {
  return b.fact(x).dtype == DatumType::f32 ? DatumType::f32 : DatumType::f64;
}

void require_rows(Rules& r) {
  const auto x = r.input(0, "X");
  if (x.rank.known() != 2) return;
  for (std::size_t i = 0; i < r.output_count(); ++i)
    r.require(r.output(i, "Y").shape[0] == x.shape[0]);
}

OutletId rows_of(Builder& b, OutletId x, DatumType type) {
  const OutletId floats = cast_to(b, x, type);
  if (const auto rank = b.rank(x))
    return *rank == 1 ? b.one(Reshape{}, {floats, b.integers({1, -1})}) : floats;
  const OutletId features = b.one(ShapeOf{.start = -1}, {x});
  const OutletId sizes = b.one(strata::Concat{0}, {b.integers({-1}), features});
  return b.one(Reshape{ReshapeZero::keep}, {floats, sizes});
}

}  // namespace strata::hir
