#include "strata/hir/ops/quantized_op.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/quantize.h"

namespace strata::hir {
namespace {

/// Inputs of one quantised operand: numbers, scale, zero point.
constexpr std::size_t kParts = 3;

std::size_t first_operand(const QuantizedOp& op) {
  return op.result == ResultScale::first ? 2 : op.plain;
}

/// Of `inputs` inputs, trailing ones left out included.
std::size_t operand_count(const QuantizedOp& op, std::size_t inputs) {
  const std::size_t others = op.result == ResultScale::first ? 2 : op.plain + 1;
  return (inputs - others) / kParts;
}

}  // namespace

void QuantizedOp::rules(Rules& r) const {
  const std::size_t first = first_operand(*this);
  const auto y = r.output(0, "Y");
  for (std::size_t i = 0; i < operand_count(*this, r.input_count()); ++i) {
    const std::size_t at = first + i * kParts;
    r.require(r.input(at, "numbers").dtype == y.dtype);
    r.require(r.input(at + 1, "scale").dtype == DatumType::f32);
    if (r.has_input(at + 2)) r.require(r.input(at + 2, "zero_point").dtype == y.dtype);
  }
}

OutletIds QuantizedOp::wire(Builder& b, const OutletIds& in) const {
  const auto number = [&](std::size_t i) { return scalar_of(b, optional_input(in, i)); };
  const std::size_t first = first_operand(*this), count = operand_count(*this, in.size());
  OutletIds reals(in.begin(), in.begin() + plain);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = first + i * kParts;
    reals.push_back(b.one(Dequantize{DatumType::f32, 0},
                          without_trailing_absent({in[at], number(at + 1), number(at + 2)})));
  }
  const std::size_t scale = result == ResultScale::first ? 0 : first + count * kParts;
  const OutletId y = op.wire(b, reals)[0];
  return {b.one(Quantize{b.fact(in[first]).dtype, 0},
                without_trailing_absent({y, number(scale), number(scale + 1)}))};
}

}  // namespace strata::hir
