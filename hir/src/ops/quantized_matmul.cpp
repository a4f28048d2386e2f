#include "strata/hir/ops/quantized_matmul.h"

#include "broadcast_along.h"
#include "ops/arithmetic.h"
#include "strata/core/quantized.h"
#include "strata/hir/ops/matmul.h"

namespace strata::hir {

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
  r.require(r.input(2, "a_zero_point").dtype == r.input(0, "a").dtype);
  r.require(r.input(5, "b_zero_point").dtype == r.input(3, "b").dtype);
  r.require(r.output(0, "y").dtype == r.input(7, "y_zero_point").dtype);
  matmul_rules(r, r.input(0, "a"), r.input(3, "b"));
}

OutletIds QLinearMatMul::wire(Builder& b, const OutletIds& in) const {
  const DatumType wide = is_integer(b.fact(in[0]).dtype) ? DatumType::i32 : DatumType::f32;
  const OutletId left = centred(b, in[0], per_row(b, in[2], in[0]), wide);
  const OutletId right = centred(b, in[3], in[5], wide);
  const OutletId sums = wire_matmul(b, left, right);
  const auto of_rows = [&](std::size_t i) { return per_product_row(b, in[i], in[0], in[3]); };
  const OutletId right_scale = per_product_column(b, in[4], in[0], in[3]);
  const OutletId scale = multiplier(b, of_rows(1), right_scale, of_rows(6));
  return {requantized(b, sums, scale, of_rows(7), b.fact(in[7]).dtype)};
}

}  // namespace strata::hir
