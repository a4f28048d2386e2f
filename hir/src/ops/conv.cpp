#include "strata/hir/ops/conv.h"

#include "broadcast_along.h"
#include "ops/arithmetic.h"
#include "strata/core/quantized.h"

namespace strata::hir {

void conv_rules(Rules& r, const PortProxy& x, const PortProxy& w,
                const std::optional<Shape>& kernel_shape) {
  const auto out = r.output(0, "Y");
  r.require(x.rank == w.rank);
  r.require(out.rank == x.rank);
  r.require(out.shape[0] == x.shape[0]);
  if (!kernel_shape) return;
  r.require(w.rank == static_cast<std::int64_t>(kernel_shape->size() + 2));
  for (std::size_t i = 0; i < kernel_shape->size(); ++i)
    r.require(w.shape[static_cast<std::int64_t>(i + 2)] == Dim((*kernel_shape)[i]));
}

void bias_rules(Rules& r, const PortProxy& x, const DimProxy& channels) {
  if (!r.has_input(2)) return;
  const auto bias = r.input(2, "B");
  r.require(bias.dtype == x.dtype);
  r.require(bias.rank == 1);
  r.require(bias.shape[0] == channels);
}

namespace {

/// Inputs of QLinearConv.
enum Input : std::size_t { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

/// What holds for the channels, too.
void grouped_rules(Rules& r, const Conv& conv, const PortProxy& x, const PortProxy& w,
                   const PortProxy& out) {
  conv_rules(r, x, w, conv.kernel_shape);
  r.require(out.shape[1] == w.shape[0]);
  if (conv.op.group > 0) require_multiple(r, x.shape[1], conv.op.group, w.shape[1]);
}

}  // namespace

void Conv::rules(Rules& r) const {
  const auto x = r.input(0, "X"), w = r.input(1, "W"), out = r.output(0, "Y");
  grouped_rules(r, *this, x, w, out);
  r.require(x.dtype == w.dtype);
  r.require(out.dtype == x.dtype);
  bias_rules(r, x, w.shape[0]);
}

OutletIds Conv::wire(Builder& b, const OutletIds& in) const {
  return b.wire(op, without_trailing_absent(in));
}

void ConvInteger::rules(Rules& r) const {
  const auto x = r.input(0, "x"), w = r.input(1, "w"), out = r.output(0, "y");
  grouped_rules(r, conv, x, w, out);
  r.require(out.dtype == DatumType::i32);
  if (r.has_input(2)) r.require(r.input(2, "x_zero_point").dtype == x.dtype);
  if (r.has_input(3)) r.require(r.input(3, "w_zero_point").dtype == w.dtype);
}

OutletIds ConvInteger::wire(Builder& b, const OutletIds& in) const {
  const OutletId w_zero = has(in, 3) ? along_leading_axis(b, in[3], in[1], 1) : kAbsent;
  const OutletId x = centred(b, in[0], optional_input(in, 2), DatumType::i32);
  return b.wire(conv.op, {x, centred(b, in[1], w_zero, DatumType::i32)});
}

void QLinearConv::rules(Rules& r) const {
  const auto x = r.input(kX, "x"), w = r.input(kW, "w"), out = r.output(0, "y");
  grouped_rules(r, conv, x, w, out);
  r.require(r.input(kXZero, "x_zero_point").dtype == x.dtype);
  r.require(r.input(kWZero, "w_zero_point").dtype == w.dtype);
  r.require(out.dtype == r.input(kYZero, "y_zero_point").dtype);
  if (r.has_input(kBias)) r.require(r.input(kBias, "B").dtype == DatumType::i32);
}

OutletIds QLinearConv::wire(Builder& b, const OutletIds& in) const {
  const OutletId w_zero = along_leading_axis(b, in[kWZero], in[kW], 1);
  OutletIds operands{centred(b, in[kX], in[kXZero], DatumType::i32),
                     centred(b, in[kW], w_zero, DatumType::i32)};
  if (has(in, kBias)) operands.push_back(in[kBias]);
  const OutletId sums = b.one(conv.op, operands);
  const OutletId w_scale = along_leading_axis(b, in[kWScale], in[kW], 2);
  const OutletId scale = multiplier(b, in[kXScale], w_scale, in[kYScale]);
  return {requantized(b, sums, scale, in[kYZero], b.fact(in[kYZero]).dtype)};
}

}  // namespace strata::hir
