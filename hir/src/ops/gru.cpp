#include "strata/hir/ops/gru.h"

#include "ops/arithmetic.h"
#include "ops/recurrent.h"
#include "strata/core/ops/split.h"

namespace strata::hir {
namespace {

enum Function : std::size_t { kF, kG };

CellKind kind_of(Gru::Reset reset) {
  return {
      .gates = 3,
      .states = 1,
      .functions = 2,
      .bias = reset == Gru::Reset::after_product ? CellKind::Bias::apart : CellKind::Bias::summed};
}

/// (1 - zt) . candidate + zt . Ht-1
OutletId blended(Builder& b, OutletId update, OutletId candidate, OutletId h) {
  return add(b, mul(b, one_minus(b, update), candidate), mul(b, update, h));
}

/// zt = f(Xt Wz^T + Ht-1 Rz^T + Wbz + Rbz)
/// rt = f(Xt Wr^T + Ht-1 Rr^T + Wbr + Rbr)
/// Ht = (1 - zt) . g(Xt Wh^T + Wbh + rt . (Ht-1 Rh^T + Rbh)) + zt . Ht-1
OutletIds wire_reset_after(Builder& b, const CellInputs& in) {
  const OutletId h = in.states[0];
  const OutletIds x = b.wire(Split{-1, 3}, {projected(b, in.x, in.w, in.input_bias)});
  const OutletIds s = b.wire(Split{-1, 3}, {projected(b, h, in.r, in.state_bias)});
  const OutletId update = apply_function(b, in, kF, add(b, x[0], s[0]));
  const OutletId reset = apply_function(b, in, kF, add(b, x[1], s[1]));
  const OutletId sum = add(b, x[2], mul(b, reset, s[2]));
  return {blended(b, update, apply_function(b, in, kG, sum), h)};
}

/// zt and rt likewise;  Ht = (1 - zt) . g(Xt Wh^T + (rt . Ht-1) Rh^T + Wbh + Rbh) + zt . Ht-1
OutletIds wire_reset_before(Builder& b, const CellInputs& in) {
  const OutletId h = in.states[0];
  const OutletIds x = b.wire(Split{-1, 3}, {projected(b, in.x, in.w, in.input_bias)});
  const OutletIds weights = b.wire(Split{0, 3}, {in.r});
  const auto gate = [&](std::size_t i) {
    return apply_function(b, in, kF, add(b, x[i], projected(b, h, weights[i], kAbsent)));
  };
  const OutletId update = gate(0);
  const OutletId kept = mul(b, gate(1), h);
  const OutletId sum = add(b, x[2], projected(b, kept, weights[2], kAbsent));
  return {blended(b, update, apply_function(b, in, kG, sum), h)};
}

}  // namespace

void Gru::rules(Rules& r) const { recurrent_rules(r, layer, kind_of(reset)); }

OutletIds Gru::wire(Builder& b, const OutletIds& in) const {
  return wire_recurrent(b, in, layer, kind_of(reset),
                        reset == Reset::after_product ? wire_reset_after : wire_reset_before);
}

}  // namespace strata::hir
