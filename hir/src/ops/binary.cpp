#include "strata/hir/ops/binary.h"

#include <numeric>

#include "broadcast_along.h"
#include "ops/arithmetic.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

bool is_comparison(BinaryOp op) {
  switch (op) {
    case BinaryOp::equal:
    case BinaryOp::greater:
    case BinaryOp::greater_or_equal:
    case BinaryOp::less:
    case BinaryOp::less_or_equal:
      return true;
    default:
      return false;
  }
}

bool is_logical(BinaryOp op) {
  return op == BinaryOp::truth_and || op == BinaryOp::truth_or || op == BinaryOp::truth_xor;
}

/// As `aligned`, where a rank is not known: the target shape is worked out in the run.
OutletId aligned_in_run(Builder& b, OutletId x, OutletId y, std::int64_t axis) {
  const OutletId first = axis < 0 ? add(b, rank_of(b, x), static_cast<double>(axis))
                                  : b.scalar(static_cast<double>(axis), DatumType::i64);
  const OutletId behind = sub(b, rank_of(b, x), add(b, first, rank_of(b, y)));
  return with_axes_after(b, y, behind);
}

/// `y` with axes of size 1 put after its own, so that its first one meets axis `axis` of `x`.
OutletId aligned(Builder& b, OutletId x, OutletId y, std::optional<std::int64_t> axis) {
  if (!axis) return y;
  const auto rank_x = b.rank(x), rank_y = b.rank(y);
  if (!rank_x || !rank_y) return aligned_in_run(b, x, y, *axis);
  if (*rank_y == 0) return y;
  const std::size_t end = normalized_axis(*axis, *rank_x) + *rank_y;
  check(end <= *rank_x, "shape ", b.fact(y).shape, " does not lie in ", b.fact(x).shape,
        " from axis ", *axis, " on");
  if (end == *rank_x) return y;
  Shape axes(*rank_x - end);
  std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(*rank_y));
  return b.one(Unsqueeze{}, {y, b.integers(axes)});
}

/// The type both operands of a power are computed in.
DatumType power_type(DatumType base, DatumType exponent) {
  if (base == exponent) return base;
  return is_integer(base) && is_integer(exponent) ? DatumType::i64 : DatumType::f64;
}

}  // namespace

void Binary::rules(Rules& r) const {
  const auto a = r.input(0, "A"), b = r.input(1, "B"), out = r.output(0, "C");
  r.require(a.dtype == b.dtype);
  if (is_logical(op)) r.require(a.dtype == DatumType::boolean);
  if (is_comparison(op))
    r.require(out.dtype == DatumType::boolean);
  else
    r.require(out.dtype == a.dtype);
}

OutletIds Binary::wire(Builder& b, const OutletIds& in) const {
  return {binary(b, op, in[0], aligned(b, in[0], in[1], axis))};
}

void Pow::rules(Rules& r) const { require_same_dtype(r); }

OutletIds Pow::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = power_type(b.fact(in[0]).dtype, b.fact(in[1]).dtype);
  const OutletId exponent = aligned(b, in[0], in[1], axis);
  const OutletId out =
      binary(b, BinaryOp::pow, cast_to(b, in[0], type), cast_to(b, exponent, type));
  return {cast_to(b, out, b.fact(in[0]).dtype)};
}

void PRelu::rules(Rules& r) const {
  require_same_shape(r);
  require_same_dtype(r);
}

OutletIds PRelu::wire(Builder& b, const OutletIds& in) const {
  const OutletId x = in[0];
  const bool one_slope = b.fact(in[1]).shape.is_known() && b.fact(in[1]).shape.volume() == Dim(1);
  const bool is_spread = layout == SlopeLayout::per_channel && !one_slope;
  const OutletId slope = is_spread ? along_channels(b, in[1], x) : in[1];
  return {b.one(Select{}, {binary(b, BinaryOp::less, x, 0.0), mul(b, x, slope), x})};
}

void Variadic::rules(Rules& r) const {
  for (std::size_t i = 0; i < r.input_count(); ++i)
    r.require(r.output(0, "output").dtype == r.input(i, "data").dtype);
}

OutletIds Variadic::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = b.fact(in[0]).dtype;
  const bool is_mean = divisor == Divisor::count && in.size() > 1;
  // A sum of two, and the greatest of any number, are rounded once as they are.
  const bool is_rounded_often = op == BinaryOp::add && (is_mean || in.size() > 2);
  const DatumType wide = is_rounded_often ? computing_type(type) : type;
  OutletId out = cast_to(b, in[0], wide);
  for (std::size_t i = 1; i < in.size(); ++i) out = binary(b, op, out, cast_to(b, in[i], wide));
  if (is_mean) out = div(b, out, static_cast<double>(in.size()));
  return {cast_to(b, out, type)};
}

}  // namespace strata::hir
