#include "strata/hir/ops/global_pool.h"

#include "strata/core/ops/binary.h"
#include "strata/core/ops/range.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unary.h"
#include "strata/core/patch.h"

namespace strata::hir {
namespace {

/// The axes from 2 on.
OutletId spatial_axes(Builder& b, OutletId x) {
  if (const auto rank = b.rank(x)) {
    Shape axes;
    for (std::size_t a = 2; a < *rank; ++a) axes.push_back(static_cast<std::int64_t>(a));
    return b.integers(axes);
  }
  const OutletId rank = b.one(Squeeze{}, {b.one(ShapeOf{}, {b.one(ShapeOf{}, {x})})});
  return b.one(Range{}, {b.scalar(2, DatumType::i64), rank, b.scalar(1, DatumType::i64)});
}

}  // namespace

void GlobalPool::rules(Rules& r) const {
  const auto x = r.input(0, "X"), y = r.output(0, "Y");
  r.require(x.dtype == y.dtype);
  r.require(x.rank == y.rank);
  const auto rank = x.rank.known();
  if (!rank || *rank < 2) return;
  for (std::int64_t a = 0; a < *rank; ++a) {
    if (a < 2)
      r.require(x.shape[a] == y.shape[a]);
    else
      r.require(y.shape[a] == Dim(1));
  }
}

OutletIds GlobalPool::wire(Builder& b, const OutletIds& in) const {
  const auto reduce = [&](Reduction op, OutletId x) {
    return b.one(Reduce{.op = op, .no_axes = NoAxes::means_none}, {x, spatial_axes(b, in[0])});
  };
  if (kind == PoolKind::max) return {reduce(Reduction::max, in[0])};
  if (kind == PoolKind::average) return {reduce(Reduction::mean, in[0])};
  if (p == 1) return {reduce(Reduction::l1, in[0])};
  if (p == 2) return {reduce(Reduction::l2, in[0])};
  const auto power = [&](OutletId x, double exponent) {
    return b.one(Binary{BinaryOp::pow}, {x, b.scalar(exponent, b.fact(x).dtype)});
  };
  return {power(reduce(Reduction::sum, power(b.one(Unary{UnaryOp::abs}, {in[0]}), p)), 1 / p)};
}

}  // namespace strata::hir
