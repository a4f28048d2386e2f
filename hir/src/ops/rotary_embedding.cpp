#include "strata/hir/ops/rotary_embedding.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

/// Elements [start, end) of the last axis, every step-th.
OutletId part(Builder& b, OutletId x, std::int64_t start, std::int64_t end, std::int64_t step) {
  return b.one(strata::Slice{},
               {x, b.integers({start}), b.integers({end}), b.integers({-1}), b.integers({step})});
}

OutletIds pair_up(Builder& b, OutletId x, RotaryPairs pairs) {
  if (pairs == RotaryPairs::halves) return b.wire(Split{-1, 2}, {x});
  return {part(b, x, 0, INT64_MAX, 2), part(b, x, 1, INT64_MAX, 2)};
}

/// Undoes pair_up; `like` has the shape of the result.
OutletId put_back(Builder& b, OutletId first, OutletId second, OutletId like, RotaryPairs pairs) {
  const strata::Concat join{-1};
  if (pairs == RotaryPairs::halves) return b.one(join, {first, second});
  const OutletId last = b.integers({-1});
  const OutletId both =
      b.one(join, {b.one(Unsqueeze{}, {first, last}), b.one(Unsqueeze{}, {second, last})});
  return b.one(Reshape{ReshapeZero::keep}, {both, b.one(ShapeOf{}, {like})});
}

}  // namespace

void RotaryEmbedding::rules(Rules& r) const {
  const auto x = r.input(0, "X"), cosines = r.input(1, "cos_cache"),
             sines = r.input(2, "sin_cache");
  if (!heads) r.require(x.rank == 4);
  require_same_shape(r);
  require_same_dtype(r);
  r.require(cosines.dtype == x.dtype);
  r.require(sines.dtype == x.dtype);
  r.require(sines.shape == cosines.shape);
  r.require(cosines.rank == (r.has_input(3) ? 2 : 3));
}

OutletIds RotaryEmbedding::wire(Builder& b, const OutletIds& in) const {
  const std::size_t rank = required_rank(b, in[0], "X");
  check(rank == 3 || rank == 4, "X of shape ", b.fact(in[0]).shape, " has neither 3 nor 4 axes");
  check(rank == 4 || (heads && *heads > 0), "X has 3 axes, but no number of heads is given");
  const OutletId x = rank == 4 ? in[0] : split_into(b, in[0], {0, 0, *heads, -1});
  const OutletId heads_axis = b.integers({rank == 4 ? 1 : 2});
  const auto of_steps = [&](OutletId cache) {
    if (has(in, 3)) cache = b.one(Gather{0}, {cache, in[3]});
    return b.one(Unsqueeze{}, {cache, heads_axis});
  };

  const OutletId cosines = of_steps(in[1]), sines = of_steps(in[2]);
  const OutletId turning = turned > 0 ? part(b, x, 0, turned, 1) : x;
  const OutletIds pair = pair_up(b, turning, pairs);
  const OutletId first = sub(b, mul(b, cosines, pair[0]), mul(b, sines, pair[1]));
  const OutletId second = add(b, mul(b, sines, pair[0]), mul(b, cosines, pair[1]));
  OutletId y = put_back(b, first, second, turning, pairs);
  if (turned > 0) y = b.one(strata::Concat{-1}, {y, part(b, x, turned, INT64_MAX, 1)});
  return {rank == 4 ? y : split_into(b, y, {0, 0, -1})};
}

}  // namespace strata::hir
