#include "strata/hir/ops/scaled_integer_product.h"

#include "broadcast_along.h"
#include "ops/arithmetic.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/quantized.h"
#include "strata/hir/ops/quantize.h"
#include "strata/hir/ops/quantized_matmul.h"

namespace strata::hir {
namespace {

/// Inputs of QuantizedGemm.
enum Gemm : std::size_t { kA, kAScale, kAZero, kB, kBScale, kBZero, kC, kYScale, kYZero };

/// Inputs of MatMulIntegerToFloat.
enum Product : std::size_t { kLeft, kRight, kLeftScale, kRightScale, kLeftZero, kRightZero, kBias };

/// Sums of products of integers as floats, with a bias if there is one.
OutletId as_floats(Builder& b, OutletId sums, OutletId scale, OutletId bias) {
  const OutletId y = mul(b, cast_to(b, sums, b.fact(scale).dtype), scale);
  return bias.is_absent() ? y : add(b, y, bias);
}

}  // namespace

void MatMulIntegerToFloat::rules(Rules& r) const {
  const auto a = r.input(kLeft, "A"), b = r.input(kRight, "B");
  const auto a_scale = r.input(kLeftScale, "a_scale");
  r.require(r.output(0, "Y").dtype == a_scale.dtype);
  r.require(r.input(kRightScale, "b_scale").dtype == a_scale.dtype);
  matmul_rules(r, a, b);
  if (r.has_input(kLeftZero)) r.require(r.input(kLeftZero, "a_zero_point").dtype == a.dtype);
  if (r.has_input(kRightZero)) r.require(r.input(kRightZero, "b_zero_point").dtype == b.dtype);
}

OutletIds MatMulIntegerToFloat::wire(Builder& b, const OutletIds& in) const {
  const OutletId a_zero = scalar_of(b, optional_input(in, kLeftZero));
  const OutletIds operands{in[kLeft], in[kRight], a_zero, optional_input(in, kRightZero)};
  const OutletId sums = MatMulInteger{}.wire(b, operands)[0];
  const OutletId b_scale = per_product_column(b, in[kRightScale], in[kLeft], in[kRight]);
  const OutletId scale = mul(b, scalar_of(b, in[kLeftScale]), b_scale);
  return {as_floats(b, sums, scale, optional_input(in, kBias))};
}

void DynamicQuantizeMatMul::rules(Rules& r) const {
  const auto a = r.input(0, "A"), b = r.input(1, "B");
  r.require(r.output(0, "Y").dtype == a.dtype);
  r.require(r.input(2, "b_scale").dtype == a.dtype);
  matmul_rules(r, a, b);
  if (r.has_input(3)) r.require(r.input(3, "b_zero_point").dtype == b.dtype);
}

OutletIds DynamicQuantizeMatMul::wire(Builder& b, const OutletIds& in) const {
  const OutletIds a = DynamicQuantizeLinear{}.wire(b, {in[0]});
  return MatMulIntegerToFloat{}.wire(
      b, {a[0], in[1], a[1], in[2], a[2], optional_input(in, 3), optional_input(in, 4)});
}

void QuantizedGemm::rules(Rules& r) const {
  const auto a = r.input(kA, "A"), b = r.input(kB, "B"), out = r.output(0, "Y");
  r.require(r.input(kAZero, "a_zero_point").dtype == a.dtype);
  r.require(r.input(kBZero, "b_zero_point").dtype == b.dtype);
  gemm_rules(r, a, b, {transpose_a, transpose_b});
  if (r.has_input(kYZero)) r.require(out.dtype == r.input(kYZero, "y_zero_point").dtype);
  if (!r.has_input(kYScale)) r.require(out.dtype == r.input(kAScale, "a_scale").dtype);
}

OutletIds QuantizedGemm::wire(Builder& b, const OutletIds& in) const {
  const OutletId b_zero = transpose_b ? per_row(b, in[kBZero], in[kB]) : in[kBZero];
  const OutletId a = centred(b, in[kA], scalar_of(b, in[kAZero]), DatumType::i32);
  OutletId sums = b.one(strata::MatMul{transpose_a, transpose_b},
                        {a, centred(b, in[kB], b_zero, DatumType::i32)});
  if (has(in, kC)) sums = add(b, sums, in[kC]);
  OutletId scale = mul(b, scalar_of(b, in[kAScale]), in[kBScale]);
  if (alpha != 1) scale = mul(b, scale, alpha);
  const OutletId y = as_floats(b, sums, scale, kAbsent);
  if (!has(in, kYScale)) return {y};
  const OutletId zero = scalar_of(b, optional_input(in, kYZero));
  const DatumType type = zero.is_absent() ? DatumType::u8 : b.fact(zero).dtype;
  return {b.one(Quantize{type, 0}, without_trailing_absent({y, scalar_of(b, in[kYScale]), zero}))};
}

}  // namespace strata::hir
