#include "strata/hir/ops/normalization.h"

#include <limits>

#include "broadcast_along.h"
#include "ops/arithmetic.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/shape_of.h"

namespace strata::hir {
namespace {

void require_like_input(Rules& r) {
  require_same_shape(r);
  require_same_dtype(r);
}

/// 1 / sqrt(mean(x^2) + epsilon), with the axes kept.
OutletId inverse_root_mean_square(Builder& b, OutletId x, OutletId axes, double epsilon) {
  const OutletId mean = reduce(b, Reduction::mean, unary(b, UnaryOp::square, x), axes);
  return unary(b, UnaryOp::rsqrt, add(b, mean, epsilon));
}

OutletId scaled(Builder& b, OutletId x, OutletId scale, OutletId bias) {
  return add(b, mul(b, x, scale), bias);
}

}  // namespace

void LayerNormalization::rules(Rules& r) const { require_like_input(r); }

OutletIds LayerNormalization::wire(Builder& b, const OutletIds& in) const {
  const OutletIds y =
      b.wire(LayerNorm{settled_axis(b, axis, in[0]), epsilon}, without_trailing_absent(in));
  const OutletId x = cast_to(b, in[0], stash), axes = axes_from(b, x, axis);
  const OutletId mean = reduce(b, Reduction::mean, x, axes);
  const OutletId centred = sub(b, x, mean);
  return {y[0], mean, inverse_root_mean_square(b, centred, axes, epsilon)};
}

void RmsNormalization::rules(Rules& r) const {
  require_same_shape(r);
  r.require(r.output(0, "Y").dtype == r.input(1, "scale").dtype);
}

OutletIds RmsNormalization::wire(Builder& b, const OutletIds& in) const {
  const OutletId x = cast_to(b, in[0], stash);
  const OutletId inverse = inverse_root_mean_square(b, x, axes_from(b, x, axis), epsilon);
  const OutletId normal = cast_to(b, mul(b, x, inverse), b.fact(in[1]).dtype);
  return {mul(b, normal, in[1]), inverse};
}

void InstanceNormalization::rules(Rules& r) const {
  require_like_input(r);
  const auto x = r.input(0, "input");
  for (const auto& each : {r.input(1, "scale"), r.input(2, "B")}) {
    r.require(each.dtype == x.dtype);
    r.require(each.rank == 1);
    r.require(each.shape[0] == x.shape[1]);
  }
}

OutletIds InstanceNormalization::wire(Builder& b, const OutletIds& in) const {
  const OutletId normal = b.one(LayerNorm{2, epsilon}, {in[0]});
  const auto parameter = [&](OutletId vector) {
    return per_channel(b, for_each_channel(b, vector, in[0]), in[0]);
  };
  return {scaled(b, normal, parameter(in[1]), parameter(in[2]))};
}

void GroupNormalization::rules(Rules& r) const { require_like_input(r); }

OutletIds GroupNormalization::wire(Builder& b, const OutletIds& in) const {
  const ShapeFact& x = b.fact(in[0]).shape;
  if (x.is_known() && x.rank() > 1)
    if (const auto channels = x[1].constant())
      check(*channels % groups == 0, *channels, " channels are not ", groups, " equal groups");
  const OutletId split = b.one(Reshape{ReshapeZero::copy}, {in[0], b.integers({0, groups, -1})});
  OutletId out = b.one(LayerNorm{2, epsilon}, {split});
  if (unit == ScaleUnit::group)
    out = scaled(b, out, per_channel(b, in[1], out), per_channel(b, in[2], out));
  out = b.one(Reshape{ReshapeZero::keep}, {out, b.one(ShapeOf{}, {in[0]})});
  if (unit == ScaleUnit::channel)
    out = scaled(b, out, per_channel(b, in[1], out), per_channel(b, in[2], out));
  return {out};
}

void LpNormalization::rules(Rules& r) const { require_like_input(r); }

OutletIds LpNormalization::wire(Builder& b, const OutletIds& in) const {
  const OutletId x = widened(b, in[0]), axes = b.integers({settled_axis(b, axis, in[0])});
  const OutletId norm = reduce(b, p == 1 ? Reduction::l1 : Reduction::l2, x, axes);
  const DatumType type = b.fact(x).dtype;
  const OutletId is_zero = binary(b, BinaryOp::equal, norm, b.scalar(0, type));
  // What has no norm becomes 0: so is the quotient of any number and infinity.
  const OutletId infinity = b.scalar(std::numeric_limits<double>::infinity(), type);
  const OutletId y = div(b, x, b.one(Select{}, {is_zero, infinity, norm}));
  return {cast_to(b, y, b.fact(in[0]).dtype)};
}

void MeanVarianceNormalization::rules(Rules& r) const { require_like_input(r); }

OutletIds MeanVarianceNormalization::wire(Builder& b, const OutletIds& in) const {
  const OutletId x = widened(b, in[0]), all = b.integers(axes);
  const OutletId centred = sub(b, x, reduce(b, Reduction::mean, x, all));
  const OutletId variance = reduce(b, Reduction::mean, unary(b, UnaryOp::square, centred), all);
  const OutletId deviation = unary(b, UnaryOp::sqrt, variance);
  const OutletId y = div(b, centred, add(b, deviation, 1e-9));
  return {cast_to(b, y, b.fact(in[0]).dtype)};
}

}  // namespace strata::hir
