#include "strata/hir/ops/quantize.h"

#include "ops/arithmetic.h"

namespace strata::hir {
namespace {

/// The axis counted from the front; one scale for all leaves it without meaning, whatever the rank.
std::int64_t meant_axis(const Builder& b, std::int64_t axis, const OutletIds& in) {
  const bool one_scale = b.rank(in[1]) == 0;
  const auto rank = b.rank(in[0]);
  if (one_scale || rank == 0u || (rank == 1u && axis == 1)) return 0;
  return settled_axis(b, axis, in[0]);
}

}  // namespace

void QuantizeLinear::rules(Rules& r) const {
  require_same_shape(r);
  if (r.has_input(2))
    r.require(r.output(0, "y").dtype == r.input(2, "y_zero_point").dtype);
  else
    r.require(r.output(0, "y").dtype == to.value_or(DatumType::u8));
}

OutletIds QuantizeLinear::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = has(in, 2) ? b.fact(in[2]).dtype : to.value_or(DatumType::u8);
  check(!to || *to == type, "the output is to be ", to.value_or(type), ", the zero point is ",
        type);
  const DatumType scale = b.fact(in[1]).dtype;
  const bool is_usual =
      scale == DatumType::f16 || scale == DatumType::bf16 || scale == DatumType::f64;
  const DatumType quotient = precision.value_or(is_usual ? scale : DatumType::f32);
  return b.wire(Quantize{type, meant_axis(b, axis, in), block_size, quotient, overflow},
                without_trailing_absent(in));
}

void DequantizeLinear::rules(Rules& r) const {
  require_same_shape(r);
  if (to)
    r.require(r.output(0, "y").dtype == *to);
  else
    r.require(r.output(0, "y").dtype == r.input(1, "x_scale").dtype);
}

OutletIds DequantizeLinear::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = to.value_or(b.fact(in[1]).dtype);
  return b.wire(Dequantize{type, meant_axis(b, axis, in), block_size}, without_trailing_absent(in));
}

void DynamicQuantizeLinear::rules(Rules& r) const {
  require_same_shape(r);
  r.require(r.output(0, "y").dtype == DatumType::u8);
}

OutletIds DynamicQuantizeLinear::wire(Builder& b, const OutletIds& in) const {
  constexpr double kSteps = 255;
  const auto extreme = [&](Reduction reduction, BinaryOp with_zero) {
    return binary(b, with_zero, b.one(strata::Reduce{.op = reduction, .keep_dims = false}, {in[0]}),
                  0.0);
  };
  const OutletId greatest = extreme(Reduction::max, BinaryOp::max),
                 least = extreme(Reduction::min, BinaryOp::min);
  const OutletId scale = div(b, sub(b, greatest, least), kSteps);
  const OutletId origin = unary(b, UnaryOp::neg, div(b, least, scale));
  const OutletId bounded = binary(b, BinaryOp::min, binary(b, BinaryOp::max, origin, 0.0), kSteps);
  const OutletId zero_point = cast_to(b, unary(b, UnaryOp::round, bounded), DatumType::u8);
  const OutletId y = b.one(Quantize{DatumType::u8}, {in[0], scale, zero_point});
  return {y, scale, zero_point};
}

}  // namespace strata::hir
