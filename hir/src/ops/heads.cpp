#include "ops/heads.h"

#include <cmath>

#include "ops/arithmetic.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/range.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/transpose.h"

namespace strata::hir {

OutletId split_into(Builder& b, OutletId x, const Shape& target) {
  return b.one(Reshape{ReshapeZero::copy}, {x, b.integers(target)});
}

OutletId size_of_axis(Builder& b, OutletId x, std::int64_t axis) {
  const std::optional<std::int64_t> end = axis == -1 ? std::nullopt : std::optional(axis + 1);
  return b.one(ShapeOf{axis, end}, {x});
}

OutletId positions(Builder& b, OutletId count) {
  const OutletId end = b.one(Reshape{}, {count, b.integers(Shape{})});
  return b.one(Range{}, {b.scalar(0, DatumType::i64), end, b.scalar(1, DatumType::i64)});
}

std::size_t required_rank(const Builder& b, OutletId x, std::string_view what) {
  const auto rank = b.rank(x);
  require(rank.has_value(), ErrorKind::unsupported, "the rank of ", what, " is not known");
  return *rank;
}

OutletId split_heads(Builder& b, OutletId x, std::int64_t heads) {
  return b.one(Transpose{{0, 2, 1, 3}}, {split_into(b, x, {0, 0, heads, -1})});
}

OutletId join_heads(Builder& b, OutletId x) {
  return split_into(b, b.one(Transpose{{0, 2, 1, 3}}, {x}), {0, 0, -1});
}

void check_heads(std::int64_t queries, std::int64_t keys) {
  check(keys > 0 && queries % keys == 0, queries, " heads of queries are no multiple of ", keys,
        " of keys and values");
}

OutletId grouped_product(Builder& b, OutletId x, OutletId y, RightSide side) {
  const MatMul product{.transpose_b = side == RightSide::transposed};
  const ShapeFact &left = b.fact(x).shape, &right = b.fact(y).shape;
  const bool is_known = left.is_known() && right.is_known();
  if (is_known && left[1] == right[1]) return b.one(product, {x, y});
  const auto x_heads = is_known ? left[1].constant() : std::nullopt;
  const auto y_heads = is_known ? right[1].constant() : std::nullopt;
  if (x_heads && y_heads) check_heads(*x_heads, *y_heads);
  // The rows of the heads that share one of y are rows of one matrix.
  const auto joined = [&](OutletIds sizes) { return b.one(strata::Concat{0}, std::move(sizes)); };
  const OutletId batch = size_of_axis(b, x, 0), heads = size_of_axis(b, y, 1),
                 open = b.integers({-1});
  const OutletId rows =
      b.one(Reshape{ReshapeZero::keep}, {x, joined({batch, heads, open, size_of_axis(b, x, 3)})});
  const OutletId out = b.one(product, {rows, y});
  return b.one(Reshape{ReshapeZero::keep},
               {out, joined({batch, size_of_axis(b, x, 1), size_of_axis(b, x, 2),
                             size_of_axis(b, y, side == RightSide::transposed ? 2 : 3)})});
}

OutletId scaled_query(Builder& b, OutletId x, std::optional<double> factor) {
  const Fact& fact = b.fact(x);
  if (!factor && fact.shape.is_known())
    if (const auto size = fact.shape.dims().back().constant())
      factor = 1 / std::sqrt(static_cast<double>(*size));
  if (factor) return mul(b, x, *factor);
  const OutletId size = cast_to(b, size_of_axis(b, x, -1), DatumType::f32);
  return mul(b, x, cast_to(b, unary(b, UnaryOp::rsqrt, size), fact.dtype));
}

}  // namespace strata::hir
