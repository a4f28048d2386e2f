#include "strata/hir/ops/dynamic_quantize_lstm.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/quantized.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kX, kW, kR, kB, kPeepholes = 7, kWScale, kWZero, kRScale, kRZero };

/// What the weights of all directions stand for, [directions, rows, columns] as ONNX's LSTM takes
/// them, with its rows and columns swapped.
OutletId real_weights(Builder& b, const OutletIds& in, std::size_t weights, std::size_t scale) {
  const auto spread = [&](OutletId x) { return split_into(b, x, {0, 1, -1}); };
  const OutletId numbers = centred(b, in[weights], spread(in[scale + 1]), DatumType::f32);
  const OutletId reals = mul(b, numbers, spread(in[scale]));
  return b.one(Transpose{{0, 2, 1}}, {reals});
}

}  // namespace

void DynamicQuantizeLstm::rules(Rules& r) const {
  const auto x = r.input(kX, "X"), w = r.input(kW, "W"), recurrence = r.input(kR, "R");
  r.require(x.dtype == DatumType::f32);
  r.require(x.rank == 3);
  r.require(w.rank == 3);
  r.require(recurrence.rank == 3);
  r.require(w.shape[1] == x.shape[2]);
  r.require(recurrence.shape[0] == w.shape[0]);
  r.require(recurrence.shape[2] == w.shape[2]);
  r.require(r.input(kWZero, "W_zero_point").dtype == w.dtype);
  r.require(r.input(kRZero, "R_zero_point").dtype == recurrence.dtype);
}

OutletIds DynamicQuantizeLstm::wire(Builder& b, const OutletIds& in) const {
  OutletIds operands{in[kX], real_weights(b, in, kW, kWScale), real_weights(b, in, kR, kRScale)};
  for (std::size_t i = kB; i <= kPeepholes; ++i) operands.push_back(in[i]);
  return lstm.wire(b, operands);
}

}  // namespace strata::hir
