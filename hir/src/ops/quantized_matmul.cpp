#include "strata/hir/ops/quantized_matmul.h"

#include "broadcast_along.h"
#include "ops/arithmetic.h"
#include "strata/core/quantized.h"
#include "strata/hir/ops/matmul.h"

namespace strata::hir {
namespace {

/// Inputs of QLinearMatMul.
enum Input : std::size_t { kA, kAScale, kAZero, kB, kBScale, kBZero, kYScale, kYZero };

}  // namespace

void MatMulInteger::rules(Rules& r) const {
  r.require(r.output(0, "Y").dtype == DatumType::i32);
  matmul_rules(r, r.input(0, "A"), r.input(1, "B"));
  for (std::size_t i = 0; i < 2; ++i)
    if (r.has_input(i + 2))
      r.require(r.input(i + 2, "zero_point").dtype == r.input(i, "operand").dtype);
}

OutletIds MatMulInteger::wire(Builder& b, const OutletIds& in) const {
  const OutletId a_zero = has(in, 2) ? per_row(b, in[2], in[0]) : kAbsent;
  const OutletId a = centred(b, in[0], a_zero, DatumType::i32);
  return {wire_matmul(b, a, centred(b, in[1], optional_input(in, 3), DatumType::i32))};
}

void QLinearMatMul::rules(Rules& r) const {
  r.require(r.input(kAZero, "a_zero_point").dtype == r.input(kA, "a").dtype);
  r.require(r.input(kBZero, "b_zero_point").dtype == r.input(kB, "b").dtype);
  r.require(r.output(0, "y").dtype == r.input(kYZero, "y_zero_point").dtype);
  matmul_rules(r, r.input(kA, "a"), r.input(kB, "b"));
}

OutletIds QLinearMatMul::wire(Builder& b, const OutletIds& in) const {
  const DatumType wide = is_integer(b.fact(in[kA]).dtype) ? DatumType::i32 : DatumType::f32;
  const OutletId left = centred(b, in[kA], per_row(b, in[kAZero], in[kA]), wide);
  const OutletId right = centred(b, in[kB], in[kBZero], wide);
  const OutletId sums = wire_matmul(b, left, right);
  const auto of_rows = [&](Input input) { return per_product_row(b, in[input], in[kA], in[kB]); };
  const OutletId right_scale = per_product_column(b, in[kBScale], in[kA], in[kB]);
  const OutletId scale = multiplier(b, of_rows(kAScale), right_scale, of_rows(kYScale));
  return {requantized(b, sums, scale, of_rows(kYZero), b.fact(in[kYZero]).dtype)};
}

}  // namespace strata::hir
