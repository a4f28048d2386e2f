#include "broadcast_along.h"

#include <algorithm>

#include "ops/arithmetic.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

/// Whether a run may find `x` to be a vector.
bool may_be_vector(const Builder& b, OutletId x) {
  return !x.is_absent() && b.rank(x).value_or(1) == 1;
}

/// 1 where `x` is no vector.
OutletId is_matrix(Builder& b, OutletId x) { return one_minus(b, is_vector(b, x)); }

/// `x` without its last `count` axes, all of size 1.
OutletId without_last_axes(Builder& b, OutletId x, OutletId count) {
  const OutletId left = sub(b, rank_of(b, x), count);
  const OutletId end = b.one(Reshape{}, {left, b.integers({1})});
  const OutletId shape = b.one(strata::Slice{}, {b.one(ShapeOf{}, {x}), b.integers({0}), end});
  return b.one(Reshape{ReshapeZero::keep}, {x, shape});
}

/// A vector of values for rows made a column, unless one of `matrices` is a vector.
OutletId as_column(Builder& b, OutletId rows, const OutletIds& matrices) {
  const auto is_known = [&](OutletId x) { return b.rank(x).has_value(); };
  const auto is_row = [&](OutletId x) { return b.rank(x) == 1u; };
  if (std::any_of(matrices.begin(), matrices.end(), is_row)) return rows;
  if (is_known(rows) && std::all_of(matrices.begin(), matrices.end(), is_known))
    return b.one(Unsqueeze{}, {rows, b.integers({-1})});
  OutletId gained = is_vector(b, rows);
  for (const OutletId matrix : matrices) gained = mul(b, gained, is_matrix(b, matrix));
  return with_axes_after(b, rows, gained);
}

}  // namespace

OutletId is_vector(Builder& b, OutletId x) {
  if (const auto rank = b.rank(x)) return b.scalar(*rank == 1 ? 1 : 0, DatumType::i64);
  return cast_to(b, binary(b, BinaryOp::equal, rank_of(b, x), 1), DatumType::i64);
}

OutletId with_axes_after(Builder& b, OutletId x, OutletId count) {
  const OutletId shape = b.one(strata::Concat{0}, {b.one(ShapeOf{}, {x}), ones(b, count)});
  return b.one(Reshape{ReshapeZero::keep}, {x, shape});
}

OutletId per_row(Builder& b, OutletId rows, OutletId matrix) {
  return may_be_vector(b, rows) ? as_column(b, rows, {matrix}) : rows;
}

OutletId per_product_row(Builder& b, OutletId rows, OutletId left, OutletId right) {
  const OutletId fitting = per_product_column(b, rows, left, right);
  return may_be_vector(b, fitting) ? as_column(b, fitting, {left, right}) : fitting;
}

OutletId per_product_column(Builder& b, OutletId columns, OutletId left, OutletId right) {
  if (!may_be_vector(b, columns) || !may_be_vector(b, left) || !may_be_vector(b, right))
    return columns;
  if (b.rank(columns) && b.rank(left) && b.rank(right))
    return b.one(Squeeze{}, {columns, b.integers({0})});
  const OutletId lost = mul(b, is_vector(b, left), is_vector(b, right));
  return without_last_axes(b, columns, mul(b, is_vector(b, columns), lost));
}

OutletId for_each_channel(Builder& b, OutletId vector, OutletId x) {
  const ShapeFact &numbers = b.fact(vector).shape, &sizes = b.fact(x).shape;
  if (b.rank(vector) == 1u && sizes.is_known() &&
      numbers[0] == (sizes.rank() < 2 ? Dim(1) : sizes[1]))
    return vector;
  const OutletId shape = b.one(strata::Concat{0}, {b.one(ShapeOf{}, {x}), b.integers({1})});
  const OutletId channels = b.one(strata::Slice{}, {shape, b.integers({1}), b.integers({2})});
  return b.one(Reshape{ReshapeZero::keep}, {vector, channels});
}

OutletId per_channel(Builder& b, OutletId vector, OutletId x) {
  check(b.rank(x).value_or(2) >= 2, "shape ", b.fact(x).shape, " has no channel axis");
  return along_leading_axis(b, vector, x, 2);
}

OutletId along_channels(Builder& b, OutletId values, OutletId x) {
  const auto rank = b.rank(x);
  if (!may_be_vector(b, values) || rank.value_or(2) < 2) return values;
  if (b.rank(values) && rank) return per_channel(b, values, x);
  const OutletId spatial = binary(b, BinaryOp::max, sub(b, rank_of(b, x), 2), 0.0);
  return with_axes_after(b, values, mul(b, is_vector(b, values), spatial));
}

OutletId along_leading_axis(Builder& b, OutletId vector, OutletId like, std::int64_t leading) {
  if (vector.is_absent() || b.rank(vector) == 0u) return vector;
  if (const auto rank = b.rank(like)) {
    Shape target(*rank + 1 - static_cast<std::size_t>(leading), 1);
    target[0] = -1;
    return b.one(Reshape{}, {vector, b.integers(target)});
  }
  const OutletId others = ones(b, sub(b, rank_of(b, like), static_cast<double>(leading)));
  return b.one(Reshape{}, {vector, b.one(strata::Concat{0}, {b.integers({-1}), others})});
}

}  // namespace strata::hir
