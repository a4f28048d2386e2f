#include "strata/core/quantized.h"

#include <cmath>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

OutletId binary(Builder& b, BinaryOp op, OutletId left, OutletId right) {
  return b.one(Binary{op}, {left, right});
}

OutletId as(Builder& b, OutletId x, DatumType type) {
  return b.fact(x).dtype == type ? x : b.one(Cast{type}, {x});
}

}  // namespace

OutletId centred(Builder& b, OutletId x, OutletId zero_point, DatumType wide) {
  const OutletId values = as(b, x, wide);
  return zero_point.is_absent() ? values
                                : binary(b, BinaryOp::sub, values, as(b, zero_point, wide));
}

OutletId multiplier(Builder& b, OutletId x_scale, OutletId w_scale, OutletId y_scale) {
  return binary(b, BinaryOp::div, binary(b, BinaryOp::mul, x_scale, w_scale), y_scale);
}

OutletId requantized(Builder& b, OutletId sums, OutletId multiplier, OutletId zero_point,
                     DatumType type) {
  // Doubles hold any sum of 32 bits exactly.
  const OutletId scaled =
      binary(b, BinaryOp::mul, as(b, sums, DatumType::f64), as(b, multiplier, DatumType::f64));
  const OutletId shifted = binary(b, BinaryOp::add, scaled, as(b, zero_point, DatumType::f64));
  if (!is_integer(type)) return as(b, shifted, type);
  const double span = std::exp2(static_cast<double>(bit_width(type)));
  const double least = is_signed_integer(type) ? -span / 2 : 0;
  const OutletId rounded = b.one(Unary{UnaryOp::round}, {shifted});
  const OutletId raised = binary(b, BinaryOp::max, rounded, b.scalar(least, DatumType::f64));
  return as(b, binary(b, BinaryOp::min, raised, b.scalar(least + span - 1, DatumType::f64)), type);
}

}  // namespace strata
