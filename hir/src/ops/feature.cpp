#include "strata/hir/ops/feature.h"

#include "broadcast_along.h"
#include "ops/arithmetic.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"

namespace strata::hir {

void ArrayFeatureExtractor::rules(Rules& r) const {
  require_same_dtype(r);
  r.require(r.input(1, "Y").dtype == DatumType::i64);
}

OutletIds ArrayFeatureExtractor::wire(Builder& b, const OutletIds& in) const {
  const auto rank = b.rank(in[0]);
  check(rank != 0u, "X is a scalar");
  const OutletId places = b.one(Reshape{}, {in[1], b.integers({-1})});
  const OutletId picked = b.one(Gather{-1}, {in[0], places});
  if (rank.value_or(1) > 1) return {picked};
  if (rank) return {b.one(Reshape{}, {picked, b.integers({1, -1})})};
  const OutletId axes_before = ones(b, is_vector(b, in[0]));
  const OutletId shape = b.one(strata::Concat{0}, {axes_before, b.one(ShapeOf{}, {picked})});
  return {b.one(Reshape{ReshapeZero::keep}, {picked, shape})};
}

void Binarizer::rules(Rules& r) const {
  require_same_shape(r);
  require_same_dtype(r);
}

OutletIds Binarizer::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = b.fact(in[0]).dtype;
  // Integers are compared with the threshold as it is, not with what is left of it as an integer.
  const OutletId x = is_float(type) ? in[0] : cast_to(b, in[0], DatumType::f64);
  return {cast_to(b, binary(b, BinaryOp::greater, x, threshold), type)};
}

}  // namespace strata::hir
