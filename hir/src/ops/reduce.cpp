#include "strata/hir/ops/reduce.h"

#include <numeric>

#include "ops/arithmetic.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/rank.h"

namespace strata::hir {
namespace {

/// How many axes are reduced, where that is known.
std::optional<std::int64_t> reduced_axes(const Rules& r, const Shape& axes) {
  if (!axes.empty()) return static_cast<std::int64_t>(axes.size());
  if (!r.has_input(1)) return std::nullopt;
  const auto count = r.input(1, "axes").shape[0].known();
  // No axes at all may stand for every axis.
  return count && count->constant() != 0 ? count->constant() : std::nullopt;
}

/// A softmax over the axes from `axis` on, of a tensor of unknown rank: of the rows of the matrix
/// it flattens to.
OutletId softmax_of_rows(Builder& b, SoftmaxKind op, OutletId x, std::int64_t axis) {
  const OutletId shape = b.one(ShapeOf{}, {x}), front = b.integers({0});
  const auto volume = [&](const ShapeOf& part) {
    return reduce(b, Reduction::prod, b.one(part, {x}), front);
  };
  const OutletId matrix =
      b.one(strata::Concat{0}, {volume({0, axis}), volume({axis, std::nullopt})});
  const OutletId rows = b.one(Reshape{ReshapeZero::keep}, {x, matrix});
  return b.one(Reshape{ReshapeZero::keep}, {b.one(strata::Softmax{op, {1}}, {rows}), shape});
}

}  // namespace

void Reduce::rules(Rules& r) const {
  require_same_dtype(r);
  const auto data = r.input(0, "data"), reduced = r.output(0, "reduced");
  if (op.keep_dims)
    r.require(reduced.rank == data.rank);
  else if (const auto count = reduced_axes(r, axes))
    r.require(data.rank == reduced.rank + *count);
}

OutletIds Reduce::wire(Builder& b, const OutletIds& in) const {
  if (has(in, 1)) return b.wire(op, {in[0], in[1]});
  if (axes.empty()) return b.wire(op, {in[0]});
  Shape settled;
  for (const std::int64_t axis : axes) settled.push_back(settled_axis(b, axis, in[0]));
  return b.wire(op, {in[0], b.integers(settled)});
}

void ArgReduce::rules(Rules& r) const {
  r.require(r.output(0, "reduced").dtype == DatumType::i64);
  r.require(r.input(0, "data").rank == r.output(0, "reduced").rank + (op.keep_dims ? 0 : 1));
}

OutletIds ArgReduce::wire(Builder& b, const OutletIds& in) const {
  strata::ArgReduce settled = op;
  settled.axis = settled_axis(b, op.axis, in[0]);
  return b.wire(settled, {in[0]});
}

void Softmax::rules(Rules& r) const {
  require_same_shape(r);
  require_same_dtype(r);
}

OutletIds Softmax::wire(Builder& b, const OutletIds& in) const {
  const std::int64_t first = settled_axis(b, axis, in[0]);
  if (extent == SoftmaxExtent::axis) return b.wire(strata::Softmax{op, {first}}, {in[0]});
  const auto rank = b.rank(in[0]);
  if (!rank && axis >= 0) return {softmax_of_rows(b, op, in[0], axis)};
  check(first >= -kMostAxes, "axis ", first, " of an input of unknown rank");
  Shape axes(static_cast<std::size_t>((rank ? static_cast<std::int64_t>(*rank) : 0) - first));
  std::iota(axes.begin(), axes.end(), first);
  return b.wire(strata::Softmax{op, axes}, {in[0]});
}

}  // namespace strata::hir
